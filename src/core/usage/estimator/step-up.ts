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
  /** Two out-of-memory exits of one image: nothing but a whole GPU, and a person should look. */
  readonly wholeGpu: boolean
  /** The step-up that decides; undefined when nothing is asked. */
  readonly because: StepUp | undefined
}

/** Step-ups that are kept: enough for two exits at each of two images. */
const KEPT = 4

/** Out-of-memory exits of one image after which it gets a whole GPU. */
const EXITS_TO_WHOLE_GPU = 2

/**
 * Adds a step-up; the strongest and newest four stay. The same event told twice counts once, as does a ceiling that is
 * seen again within the hold.
 */
export function recordStepUp(
  stepUps: readonly StepUp[],
  event: StepUp,
  settings: EstimatorSettings
): readonly StepUp[] {
  const holdMs = settings.holdBlocks * settings.blockMs
  const others = stepUps.filter(
    (known) =>
      !(
        known.image === event.image &&
        known.evidence === event.evidence &&
        (known.atMs === event.atMs ||
          (isWeak(event) && known.failedMiB === event.failedMiB && event.atMs - known.atMs < holdMs))
      )
  )
  return [...others, event]
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
    wholeGpu: exits.length >= EXITS_TO_WHOLE_GPU,
    because
  }
}

function isWeak({ evidence }: StepUp): boolean {
  return evidence === 'near-ceiling'
}
