import type { EffectivePolicy } from '../policy/effective-policy.ts'
import type { Candidate } from '../sharing/candidates.ts'
import { type Capacity, fillOf, hasFree } from '../sharing/capacity.ts'
import type { Refusal } from '../sharing/method.ts'
import { type Assignment, assignShares, type Demand } from './assign.ts'
import type { Sibling } from './decision.ts'

/** What shares are chosen from. */
export interface PlaceQuestion {
  readonly demands: readonly Demand[]
  /** Candidates that may be used, in order of preference. */
  readonly permitted: readonly Candidate[]
  readonly policy: Pick<EffectivePolicy, 'onMissingCapacity' | 'provisionable'>
  /** Whether a node that the pod can reach has whole GPUs: without one, a pod that keeps its request never runs. */
  readonly hasWhole: boolean
  /** undefined where it is not known what is taken: then nothing counts as taken. */
  readonly capacity: Capacity | undefined
  /** Living pods of the same controller and template that we gave shares. */
  readonly siblings: readonly Sibling[]
  /** Share that the pod carries as our own earlier answer; undefined where it carries none. */
  readonly held: string | undefined
  /** Version of the evidence that this decision rests on. */
  readonly snapshot: string
}

/** The shares that a pod is to get now, or why there are none. */
export type Placing =
  | {
      readonly kind: 'placed'
      readonly assignments: readonly Assignment[]
      /** What the pod's user should know besides. */
      readonly notices: readonly string[]
    }
  | { readonly kind: 'none-fits' }
  | ({ readonly kind: 'taken' } & Refusal)

/**
 * Chooses by need first, and then by what is free: pods of one template get one share while the evidence is the same, and where
 * everything that fits is taken, the policy says what the pod gets.
 */
export function place(question: PlaceQuestion): Placing {
  const { demands, permitted, siblings, snapshot } = question
  const ideal = assignShares(demands, permitted)
  if (ideal === undefined) return { kind: 'none-fits' }
  const again = earlierAnswer(question, ideal)
  if (again !== undefined) return { kind: 'placed', assignments: again, notices: [] }
  const like = siblings.find((sibling) => sibling.snapshot === snapshot)?.share
  const alike =
    like === undefined
      ? undefined
      : assignFree(
          question,
          permitted.filter(({ share }) => share === like)
        )
  if (alike !== undefined) return { kind: 'placed', assignments: alike, notices: [] }
  const notices = changedEvidence(siblings, ideal, snapshot)
  const now = assignFree(question, matching(question, ideal))
  if (now !== undefined) return { kind: 'placed', assignments: now, notices }
  const refusal = whyTaken(question, ideal)
  if (question.policy.onMissingCapacity !== 'Wait' && question.hasWhole) return { kind: 'taken', ...refusal }
  return { kind: 'placed', assignments: ideal, notices: [...notices, `the pod waits: ${refusal.sentence}`] }
}

/**
 * What the pod carries already as our answer. Its share counts as taken, by the pod itself, so what is free is not looked at: whatever
 * may have been given in place of the ideal shares, and still serves, stays.
 */
function earlierAnswer(
  question: PlaceQuestion,
  ideal: readonly Assignment[]
): readonly Assignment[] | undefined {
  const { demands, permitted, held, siblings } = question
  if (held === undefined) return undefined
  const given = siblings.length > 0 ? permitted : matching(question, ideal)
  const same = given.filter(({ share }) => share === held)
  return assignShares(demands, same) ?? ideal
}

/** Candidates that may stand in for the ideal ones: of their size alone, or larger ones too. */
function matching({ permitted, policy }: PlaceQuestion, ideal: readonly Assignment[]): readonly Candidate[] {
  if (policy.onMissingCapacity === 'NextLarger') return permitted
  const sizes = new Set(ideal.map(({ candidate }) => sizeOf(candidate)))
  return permitted.filter((candidate) => sizes.has(sizeOf(candidate)))
}

/** Slices of one profile are of one size by whatever method they come, and so are replicas of one name. */
function sizeOf({ profile, replicas, share }: Candidate): string {
  return replicas === 1 && profile !== undefined ? profile : share
}

function assignFree(
  { demands, capacity, policy }: PlaceQuestion,
  candidates: readonly Candidate[]
): readonly Assignment[] | undefined {
  if (capacity === undefined) return assignShares(demands, candidates)
  const neededMiB = Math.max(...demands.map((demand) => demand.neededMiB))
  const wish = { promised: policy.provisionable, neededMiB }
  const free = candidates.filter((candidate) => hasFree(candidate, capacity, wish))
  return assignShares(demands, free, (nodeClass, resource) => capacity.mostFreeOnOne(nodeClass, resource))
}

function changedEvidence(
  siblings: readonly Sibling[],
  ideal: readonly Assignment[],
  snapshot: string
): readonly string[] {
  const shares = new Set(ideal.map(({ candidate }) => candidate.share))
  const other = siblings.find((sibling) => sibling.snapshot !== snapshot && !shares.has(sibling.share))
  if (other === undefined) return []
  return [
    `older pods of this template have ${other.share}: what is known has changed since (${other.snapshot})`
  ]
}

function whyTaken({ capacity }: PlaceQuestion, ideal: readonly Assignment[]): Refusal {
  const candidates = [...new Set(ideal.map(({ candidate }) => candidate))]
  const parts = candidates.map((candidate) => {
    if (capacity === undefined) return candidate.share
    const { offered, bound, waiting } = fillOf(candidate, capacity)
    if (candidate.toMeasure === true && offered > bound + waiting)
      return `${candidate.share} fits, but no node in reach has so much memory left`
    return `${candidate.share} fits, but of ${offered} in reach ${bound} are bound and ${waiting} asked for`
  })
  return { reason: 'NoFreeSlice', sentence: parts.join('; ') }
}
