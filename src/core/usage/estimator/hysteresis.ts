import type { EstimatorSettings } from './settings.ts'

/** A share that may be chosen. */
export interface ShareSize {
  readonly usableMiB: number
  /** Memory slots of the card that it takes: 1 for 1g.10gb, 8 for a whole H100. */
  readonly memorySlots: number
}

/** What one check found: the peak at the end of a block, MiB. */
export interface SizeCheck {
  readonly dayMs: number
  readonly peakMiB: number
}

/** The size in force and the checks of the last days; at most `checksToShrink` of them. */
export interface SizeState {
  /** Usable memory of the size in force, MiB; undefined while it is the whole GPU by default. */
  readonly heldMiB: number | undefined
  /** Last change of size, ms since the epoch; undefined while there was none. */
  readonly changedMs: number | undefined
  readonly checks: readonly SizeCheck[]
}

/** One look at a container. */
export interface SizeLook {
  readonly nowMs: number
  readonly peakMiB: number
  /** Need that a smaller size must hold, MiB. */
  readonly neededMiB: number
  /** Need below which the size is too small, MiB: step up at once. */
  readonly raiseMiB: number
  /** Whether something forbids to shrink; a check that finds it so ends the row. */
  readonly isBlocked: boolean
  /** Block that the look checks; undefined for a look between checks, which may raise and nothing else. */
  readonly dayMs: number | undefined
}

interface SizeScope {
  /** Shares that may be chosen, smallest first, the whole GPU last; without any, everything stays as it is. */
  readonly sizes: readonly ShareSize[]
  readonly settings: EstimatorSettings
}

/**
 * Up at once when the need passes the size in force; down only to a size that held at every check of the row, that saves
 * a memory slot, and when nothing changed for `holdBlocks`. A size held at a check when it holds the peak of that day
 * with the headroom of now.
 */
export function settleSize(state: SizeState, look: SizeLook, scope: SizeScope): SizeState {
  const { sizes, settings } = scope
  const held = sizeFor(sizes, state.heldMiB ?? Number.POSITIVE_INFINITY)
  if (held === undefined) return state
  const next = { ...state, checks: nextChecks(state.checks, look, settings.checksToShrink) }
  if (look.raiseMiB > held.usableMiB) {
    const larger = sizeFor(sizes, look.raiseMiB)
    return larger === held ? next : changeTo(next, larger, look.nowMs)
  }
  const smaller = smallerSize(next.checks, look, { held, ...scope })
  const isHeldBack =
    state.changedMs !== undefined && look.nowMs - state.changedMs < settings.holdBlocks * settings.blockMs
  return smaller === undefined || isHeldBack ? next : changeTo(next, smaller, look.nowMs)
}

/** Smallest size with this much memory; the last one when none has. */
export function sizeFor(sizes: readonly ShareSize[], neededMiB: number): ShareSize | undefined {
  return sizes.find(({ usableMiB }) => usableMiB >= neededMiB) ?? sizes.at(-1)
}

/**
 * Least need, MiB, for which no share below the size in force is chosen: one more than the next smaller size; 0 when the
 * size in force is the smallest.
 * @example sizes 9,984, 20,096 and 40,320, held 20,096: 9,985
 */
export function sizeFloorMiB({ heldMiB }: SizeState, sizes: readonly ShareSize[]): number {
  const held = sizeFor(sizes, heldMiB ?? Number.POSITIVE_INFINITY)
  const smaller = held === undefined ? undefined : sizes[sizes.indexOf(held) - 1]
  return smaller === undefined ? 0 : smaller.usableMiB + 1
}

function nextChecks(
  checks: readonly SizeCheck[],
  { dayMs, peakMiB, isBlocked }: SizeLook,
  kept: number
): readonly SizeCheck[] {
  if (dayMs === undefined) return checks
  return isBlocked ? [] : [...checks, { dayMs, peakMiB }].slice(-kept)
}

function smallerSize(
  checks: readonly SizeCheck[],
  { dayMs, peakMiB, neededMiB, raiseMiB }: SizeLook,
  { held, sizes, settings }: SizeScope & { readonly held: ShareSize }
): ShareSize | undefined {
  if (dayMs === undefined || checks.length < settings.checksToShrink) return undefined
  const highestMiB = checks.reduce((most, check) => Math.max(most, check.peakMiB), peakMiB)
  const scaledMiB = peakMiB > 0 ? neededMiB * (highestMiB / peakMiB) : neededMiB
  const size = sizeFor(sizes, Math.max(scaledMiB, raiseMiB))
  return size !== undefined && size.memorySlots < held.memorySlots ? size : undefined
}

function changeTo(state: SizeState, size: ShareSize | undefined, nowMs: number): SizeState {
  return { ...state, heldMiB: size?.usableMiB, changedMs: nowMs }
}
