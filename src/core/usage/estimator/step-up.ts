import type { OutOfMemoryEvidence } from './out-of-memory.ts'
import type { EstimatorSettings } from './settings.ts'

/** A share that was too small, and how we know. */
export interface StepUp {
  readonly atMs: number
  /** Usable memory of the share that was too small, MiB. */
  readonly failedMiB: number
  readonly evidence: OutOfMemoryEvidence
  /** Image that it happened to. */
  readonly image: string
}

/** What the step-ups ask of the next pod. */
export interface StepUpFloor {
  /** Next size: more than the share that failed, MiB. 0 when nothing is asked. */
  readonly floorMiB: number
  /** Out-of-memory exits of one image in shares of two sizes: nothing but a whole GPU, and a person should look. */
  readonly wholeGpu: boolean
  /** The step-up that decides; undefined when nothing is asked. */
  readonly because: StepUp | undefined
}

/** Step-ups that are kept: enough for exits in two sizes at each of two images. */
const KEPT = 4

/**
 * Shares that differ by less than this are of one size, told by a node's label, by the catalogue or rounded: 9,728 and 9,984 MiB. The
 * next size has a third more at least.
 */
const SAME_SIZE_RATIO = 0.05

/**
 * Adds a step-up; the strongest and newest four stay. An image that ran out of memory in one size is one step-up with its last time,
 * however often it was started again there, as is a ceiling that is seen again within the hold. The order of events does not matter.
 */
export function recordStepUp(
  stepUps: readonly StepUp[],
  event: StepUp,
  settings: EstimatorSettings
): readonly StepUp[] {
  const holdMs = settings.holdBlocks * settings.blockMs
  const isSame = (known: StepUp): boolean =>
    known.image === event.image &&
    isWeak(known) === isWeak(event) &&
    isSameSize(known.failedMiB, event.failedMiB) &&
    (!isWeak(event) || Math.abs(event.atMs - known.atMs) < holdMs)
  const newest = stepUps
    .filter(isSame)
    .reduce((last, known) => (known.atMs >= last.atMs ? known : last), event)
  return [...stepUps.filter((known) => !isSame(known)), newest]
    .sort((a, b) => Number(isWeak(a)) - Number(isWeak(b)) || b.atMs - a.atMs)
    .slice(0, KEPT)
    .sort((a, b) => a.atMs - b.atMs)
}

/**
 * What the next pod has to get. An out-of-memory exit marks the size as failed for as long as the image stays, and for
 * seven days under another image; use near the ceiling alone counts for seven days.
 */
export function stepUpFloor(
  stepUps: readonly StepUp[],
  scope: { readonly image: string; readonly nowMs: number; readonly settings: EstimatorSettings }
): StepUpFloor {
  const { image, nowMs, settings } = scope
  const holdMs = settings.holdBlocks * settings.blockMs
  const live = stepUps.filter(
    (stepUp) => (stepUp.image === image && !isWeak(stepUp)) || nowMs - stepUp.atMs < holdMs
  )
  const because = live.reduce<StepUp | undefined>(
    (most, stepUp) => (most === undefined || stepUp.failedMiB >= most.failedMiB ? stepUp : most),
    undefined
  )
  const exits = live.filter((stepUp) => stepUp.image === image && !isWeak(stepUp))
  return {
    floorMiB: because === undefined ? 0 : because.failedMiB + 1,
    wholeGpu: exits.some((one) => exits.some((other) => !isSameSize(one.failedMiB, other.failedMiB))),
    because
  }
}

function isSameSize(oneMiB: number, otherMiB: number): boolean {
  return Math.abs(oneMiB - otherMiB) <= SAME_SIZE_RATIO * Math.max(oneMiB, otherMiB)
}

function isWeak({ evidence }: StepUp): boolean {
  return evidence === 'near-ceiling'
}
