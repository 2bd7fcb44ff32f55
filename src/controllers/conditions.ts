import type { GpuWorkload } from '../core/api/gpu-workload.ts'
import { isoTime } from './workloads/iso-time.ts'

/** One condition of a status. */
export type Condition = NonNullable<NonNullable<GpuWorkload['status']>['conditions']>[number]

/** What a condition says, without the time of its last change. */
export type Claim = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** What times and generations of conditions depend on. */
export interface ConditionScope {
  readonly before: readonly Condition[] | undefined
  readonly nowMs: number
  readonly generation: number
}

/** Longest message of a condition that we write, characters. */
const MAX_MESSAGE = 1000

/** The conditions of a status, sorted by type; one whose status is as it was keeps its time. */
export function toConditions(
  claims: readonly Claim[],
  { before = [], nowMs, generation }: ConditionScope
): Condition[] {
  return claims
    .map((claim) => {
      const known = before.find(({ type }) => type === claim.type)
      const isSame = known?.status === claim.status
      return {
        ...claim,
        message: plainText(claim.message),
        lastTransitionTime: isSame ? known.lastTransitionTime : isoTime(nowMs),
        observedGeneration: generation
      }
    })
    .sort((a, b) => (a.type < b.type ? -1 : 1))
}

/** Without control characters, which names of strangers may bring, and cut. */
export function plainText(text: string): string {
  const plain = text.replaceAll(/\p{Cc}+/gu, ' ')
  return plain.length <= MAX_MESSAGE
    ? plain
    : `${plain.slice(0, MAX_MESSAGE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
