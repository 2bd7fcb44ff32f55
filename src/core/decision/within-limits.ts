import { WHOLE_GPU } from '../pod/gpu-request.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { limitRangeObjection, mostInPod } from '../quota/limit-range-verdict.ts'
import { type NamespaceLimits, noLimits } from '../quota/namespace-limits.ts'
import { requestsKey } from '../quota/quota-key.ts'
import { type Room, roomsFor, withoutOwn } from '../quota/room.ts'
import type { Candidate } from '../sharing/candidates.ts'
import type { Ask, Refusal } from '../sharing/method.ts'
import { methodNamed } from '../sharing/methods.ts'
import type { Demand } from './assign.ts'
import type { DecisionInput } from './decision.ts'
import type { Choice } from './fit.ts'
import { queueMarkOf } from './queued.ts'
import { type QuotaCounts, quotaCountsOf, quotaCountsOfPod } from './quota-counts.ts'

/** For whom candidates are narrowed. */
export interface Asker {
  readonly input: DecisionInput
  readonly policy: EffectivePolicy
  readonly demands: readonly Demand[]
}

/**
 * Leaves of what is permitted the candidates for which quotas and LimitRanges of the namespace have room, each with how many of it
 * one pod may ask for: a pod that asks for another is refused by the API server.
 */
export function withinLimits(candidates: readonly Candidate[], asker: Asker): Choice {
  const { limits = noLimits } = asker.input
  if (limits.quotas.length + limits.limitRanges.length === 0) return { permitted: candidates, refused: [] }
  const judged = candidates.map((candidate) => ({ candidate, refusal: refusalOf(candidate, asker, limits) }))
  return {
    permitted: judged.flatMap(({ candidate, refusal }) =>
      refusal === undefined ? [{ ...candidate, atMost: mostOf(candidate, asker, limits) }] : []
    ),
    refused: judged.flatMap(({ candidate, refusal }) =>
      refusal === undefined ? [] : [{ candidate, refusal }]
    )
  }
}

function refusalOf(candidate: Candidate, asker: Asker, limits: NamespaceLimits): Refusal | undefined {
  const asks = asksOf(candidate, asker)
  const most = mostOfEach(asks.map(({ resources }) => resources))
  const gone = Object.hasOwn(most, WHOLE_GPU) ? [] : [WHOLE_GPU]
  const objection = limitRangeObjection(limits.limitRanges, { most, gone })
  if (objection !== undefined)
    return {
      reason: 'LimitRangeWouldBlock',
      sentence: `${objection}, which a pod with ${candidate.share} breaks`
    }
  return refuseFull(asks, asker, limits) ?? refuseEscape(asks, asker, limits)
}

/**
 * The limits under which a pod that comes again may have been decided: what it asks for is among what is in flight, and must not stand
 * in its own way, or it is not, as after a dry run.
 */
export function limitsBefore({ pod, limits }: DecisionInput): readonly Pick<DecisionInput, 'limits'>[] {
  if (limits === undefined || limits.quotas.length === 0) return [{}]
  return [{ limits }, { limits: withoutOwn(limits, quotaCountsOfPod(pod, limits)) }]
}

/** What containers would ask for, one ask a container. */
function asksOf(candidate: Candidate, { demands }: Asker): readonly Ask[] {
  const method = methodNamed(candidate.method)
  return demands.map((demand) => method.ask(candidate, demand))
}

/** How a quota counts the largest of the asks, by key. */
function countsOf(asks: readonly Ask[], limits: NamespaceLimits): QuotaCounts {
  return mostOfEach(asks.map((ask) => quotaCountsOf(ask, limits)))
}

function mostOfEach(maps: readonly QuotaCounts[]): QuotaCounts {
  const most: Record<string, number> = {}
  for (const map of maps)
    for (const [key, count] of Object.entries(map)) most[key] = Math.max(most[key] ?? 0, count)
  return most
}

/** A quota without room. The pods of a queued workload are treated alike, so for them a quota that may run out has none. */
function refuseFull(asks: readonly Ask[], { input }: Asker, limits: NamespaceLimits): Refusal | undefined {
  const isQueued = queueMarkOf(input) !== undefined
  for (const [key, count] of Object.entries(countsOf(asks, limits))) {
    const [room] = roomsFor(key, limits, input.pod.scopeTraits)
    if (room === undefined || key === requestsKey(WHOLE_GPU)) continue
    if (isQueued) return blocked(`${told(room, key)}, and all pods of a queued workload get the same`)
    if (room.left < count) return blocked(`${told(room, key)} and has ${Math.max(0, room.left)} left`)
  }
  return undefined
}

function told({ quota }: Room, key: string): string {
  return `ResourceQuota ${quota} limits ${key}`
}

function blocked(sentence: string): Refusal {
  return { reason: 'QuotaWouldBlock', sentence }
}

/** A share that no quota counts would lift the limit of a namespace whose whole GPUs are counted. */
function refuseEscape(
  asks: readonly Ask[],
  { input, policy }: Asker,
  limits: NamespaceLimits
): Refusal | undefined {
  if (policy.onQuotaEscape === 'Allow') return undefined
  const whole = requestsKey(WHOLE_GPU)
  const [counting] = roomsFor(whole, limits, input.pod.scopeTraits)
  const keys = Object.keys(countsOf(asks, limits))
  if (counting === undefined || keys.includes(whole)) return undefined
  const isCounted = keys.some((key) =>
    roomsFor(key, limits, input.pod.scopeTraits).some(({ match }) => match === 'yes')
  )
  if (isCounted) return undefined
  return {
    reason: 'QuotaEscape',
    sentence: `${told(counting, whole)}, and nothing limits ${keys.join(', ')}`
  }
}

/** How many containers that run at one time may have the candidate. */
function mostOf(candidate: Candidate, asker: Asker, limits: NamespaceLimits): number {
  const asks = asksOf(candidate, asker)
  const byQuota = Object.entries(countsOf(asks, limits)).flatMap(([key, count]) =>
    roomsFor(key, limits, asker.input.pod.scopeTraits).map(({ left }) => left / count)
  )
  const byRange = Object.entries(mostOfEach(asks.map(({ resources }) => resources))).flatMap(
    ([name, count]) => (mostInPod(limits.limitRanges, name) ?? Number.MAX_SAFE_INTEGER) / count
  )
  return Math.floor(Math.min(Number.MAX_SAFE_INTEGER, ...byQuota, ...byRange))
}
