import { deviceKey } from '../dialect-series.ts'
import type { Claim } from './claim.ts'
import { CLOCK_TOLERANCE_MS } from './known.ts'

/** When somebody was on a device on one day, ms since the epoch. */
interface Presence {
  readonly who: string
  readonly fromMs: number
  readonly toMs: number
  /** Whether the source told the times; else they are as wide as can be. */
  readonly isTimed: boolean
}

/** Who was on which device on which day, by device and start of the day. */
export type Presences = ReadonlyMap<string, ReadonlyMap<number, readonly Presence[]>>

/**
 * Everybody who is seen on a device on a day, by any metric. The repeated series of a pod that had ended is nobody; a pod of
 * which nothing else is known is somebody. Who is on a slice is on the whole GPU too.
 */
export function presencesOf(claims: readonly Claim[]): Presences {
  const all = new Map<string, Map<number, Presence[]>>()
  for (const claim of claims) {
    if (claim.device === '' || isVoid(claim)) continue
    add(all, claim.device, claim)
    if (claim.series.labels.gpuInstanceId !== undefined) add(all, gpuOf(claim), claim)
  }
  return all
}

function add(all: Map<string, Map<number, Presence[]>>, device: string, claim: Claim): void {
  const days = all.get(device) ?? new Map<number, Presence[]>()
  all.set(device, days)
  const there = days.get(claim.day.dayMs) ?? []
  days.set(claim.day.dayMs, there)
  const index = there.findIndex(({ who }) => who === claim.who)
  if (index === -1) there.push(join(undefined, claim))
  else there[index] = join(there[index], claim)
}

/** Whether somebody else may have been on the claim's device at the same time. On a whole GPU those on its slices count too. */
export function isShared(claim: Claim, presences: Presences): boolean {
  const there = presences.get(claim.device)?.get(claim.day.dayMs) ?? []
  if (there.length < 2) return false
  const own = there.find(({ who }) => who === claim.who) ?? claim
  return there.some((other) => !isSame(other, claim) && !precedes(other, own) && !precedes(own, other))
}

/** A pod whose container is not named is the same as one of its containers. */
function isSame(one: Pick<Presence, 'who'>, other: Pick<Presence, 'who'>): boolean {
  if (one.who === other.who) return true
  return (
    (one.who.endsWith('/') && other.who.startsWith(one.who)) ||
    (other.who.endsWith('/') && one.who.startsWith(other.who))
  )
}

function isVoid({ owner }: Claim): boolean {
  return 'reason' in owner && owner.reason === 'after-end'
}

function gpuOf({ series: { labels } }: Claim): string {
  const { gpuInstanceId: _instance, ...gpu } = labels
  return deviceKey(gpu)
}

/** Several series of one container on one device tell together when it was there; those that know the time, where one does. */
function join(known: Presence | undefined, { who, fromMs, toMs, day }: Claim): Presence {
  const isTimed = day.firstMs !== undefined && day.lastMs !== undefined
  const next = { who, fromMs, toMs, isTimed }
  if (known === undefined || (isTimed && !known.isTimed)) return next
  if (known.isTimed && !isTimed) return known
  return { ...next, fromMs: Math.min(known.fromMs, fromMs), toMs: Math.max(known.toMs, toMs) }
}

/** Whether the one left before the other came, as finely as sources tell time. */
function precedes(one: Pick<Presence, 'fromMs' | 'toMs'>, other: Pick<Presence, 'fromMs' | 'toMs'>): boolean {
  return one.fromMs < other.fromMs && one.toMs <= other.toMs && one.toMs - other.fromMs <= CLOCK_TOLERANCE_MS
}
