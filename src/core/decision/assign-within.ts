import type { Candidate } from '../sharing/candidates.ts'
import type { Refusal } from '../sharing/method.ts'
import { type Assignment, assignShares, type Demand } from './assign.ts'
import type { Choice } from './fit.ts'

/** Shares for all containers, or what stands in the way of those that fit. */
export type Assigned =
  | { readonly kind: 'shares'; readonly shares: readonly Assignment[] }
  | ({ readonly kind: 'refusal' } & Refusal)

/** Each share has room, all of them together have not. */
const tooManyTogether: Refusal = {
  reason: 'QuotaWouldBlock',
  sentence: 'quotas of the namespace have no room for the shares of all GPU containers'
}

/**
 * Shares within what the namespace may have, or which bound stands in the way of shares that fit; undefined where none fit at all.
 * @param within the candidates, narrowed by the bounds of the namespace
 */
export function assignWithin(
  demands: readonly Demand[],
  candidates: readonly Candidate[],
  within: Choice
): Assigned | undefined {
  const shares = assignShares(demands, within.permitted)
  if (shares !== undefined) return { kind: 'shares', shares }
  const unbound = assignShares(demands, candidates)?.map(({ candidate }) => candidate)
  if (unbound === undefined) return undefined
  const refusal = within.refused.find(({ candidate }) => unbound.includes(candidate))?.refusal
  return { kind: 'refusal', ...(refusal ?? tooManyTogether) }
}
