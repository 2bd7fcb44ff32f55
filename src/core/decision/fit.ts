import { compareText } from '../compare-text.ts'
import { lowestProfile } from '../gpu/lowest-profile.ts'
import { migResourceName } from '../gpu/resource-name.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { type Candidate, candidatesOf, requirementsKey } from '../sharing/candidates.ts'
import { type Capacity, fillOf } from '../sharing/capacity.ts'
import { type Refusal, type ShareContext, separations } from '../sharing/method.ts'
import { methodNamed } from '../sharing/methods.ts'
import { type NodeClass, type NodeIndex, selectedClasses } from '../sharing/node-index.ts'
import type { Considered } from './decision.ts'
import type { Need } from './need.ts'

/** Candidates that may be used, and why the others may not. */
export interface Choice {
  readonly permitted: readonly Candidate[]
  readonly refused: readonly { readonly candidate: Candidate; readonly refusal: Refusal }[]
}

/** Splits what the reachable nodes offer by what policy and namespace permit. `permitted` is in order of preference. */
export function permittedCandidates(
  context: ShareContext,
  index: NodeIndex,
  reachable: readonly NodeClass[]
): Choice {
  const { policy } = context
  const governed = candidatesOf(reachable).filter(
    ({ where }) => selectedClasses(index, where, policy.nodeSelector).length > 0
  )
  const live = governed.map((candidate) => ({ candidate, refusal: refusalOf(candidate, context) }))
  const promised = promisedCandidates(policy, live).map((candidate) => ({
    candidate,
    refusal: refusalOf(candidate, context)
  }))
  const judged = [...live, ...promised]
  const refused = judged.flatMap(({ candidate, refusal }) =>
    refusal === undefined ? [] : { candidate, refusal }
  )
  const permitted = judged.flatMap(({ candidate, refusal }) => (refusal === undefined ? candidate : []))
  return { permitted: permitted.sort(byPreference(policy)), refused }
}

/** Why policy or namespace forbid a candidate; undefined when they do not. */
export function refusalOf(candidate: Candidate, context: ShareContext): Refusal | undefined {
  const { methods } = context.policy
  if (methods !== undefined && !methods.includes(candidate.method)) {
    return { reason: 'MethodNotAllowed', sentence: `${candidate.method} is not among the policy's methods` }
  }
  return methodNamed(candidate.method).refusal({ ...candidate, count: candidate.count }, context)
}

interface Judged {
  readonly candidate: Candidate
  readonly refusal: Refusal | undefined
}

/**
 * Profiles that an autoscaler can bring; the admin vouches for them, sizes are the catalogue's lowest. What a node has already counts
 * as it is: its resource, or a slice of the profile that may be used by whatever method.
 */
function promisedCandidates(policy: EffectivePolicy, live: readonly Judged[]): Candidate[] {
  return policy.provisionable.flatMap((profile) => {
    const resource = migResourceName(profile)
    const isThere = ({ candidate, refusal }: Judged): boolean =>
      candidate.resource === resource ||
      (refusal === undefined && candidate.profile === profile && candidate.replicas === 1)
    if (live.some(isThere)) return []
    const { usableMiB, computeRatio } = lowestProfile(profile)
    return {
      method: 'mig-mixed' as const,
      resource,
      share: resource.replace('nvidia.com/', ''),
      profile,
      usableMiB,
      computeRatio,
      computeBasis: 'slices' as const,
      replicas: 1,
      separation: 'hardware' as const,
      requires: {},
      where: [],
      count: 0
    }
  })
}

/**
 * Smallest memory first, then least compute, then the fewest requirements, then names. Before that comes the order in which
 * the policy lists methods, or what keeps most apart where it lists none; unknown memory comes last.
 */
function byPreference({ methods }: EffectivePolicy): (a: Candidate, b: Candidate) => number {
  const rank = ({ method, separation }: Candidate): number =>
    methods?.indexOf(method) ?? separations.indexOf(separation)
  const memory = ({ usableMiB }: Candidate): number => usableMiB ?? Number.MAX_SAFE_INTEGER
  const compute = ({ computeRatio }: Candidate): number => computeRatio ?? 1
  return (a, b) =>
    rank(a) - rank(b) ||
    memory(a) - memory(b) ||
    compute(a) - compute(b) ||
    Object.keys(a.requires).length - Object.keys(b.requires).length ||
    Number(a.deviceClass !== undefined) - Number(b.deviceClass !== undefined) ||
    compareText(namesOf(a), namesOf(b))
}

/** Lines, so that what is in the first of them decides before the next. */
function namesOf({ resource, method, deviceClass = '', requires }: Candidate): string {
  return [resource, method, deviceClass, requirementsKey(requires)].join('\n')
}

/** How a candidate compares with a need. Unknown sizes never fit, unless any size does. */
export function verdictOf(
  candidate: Candidate,
  need: Pick<Need, 'neededMiB' | 'neededCompute'>
): Considered['verdict'] {
  if (candidate.usableMiB === undefined) return need.neededMiB === 0 ? 'fits' : 'memory-unknown'
  if (candidate.usableMiB < need.neededMiB) return 'too-small'
  if (need.neededCompute === undefined) return 'fits'
  if (candidate.computeRatio === undefined) return 'compute-unknown'
  return candidate.computeRatio < need.neededCompute ? 'too-little-compute' : 'fits'
}

/** Every permitted candidate beside the need, for the evidence; `overLimit` are those that quotas or LimitRanges refuse. */
export function considered(
  candidates: readonly Candidate[],
  need: Pick<Need, 'neededMiB' | 'neededCompute'>,
  {
    overLimit,
    capacity
  }: { readonly overLimit: readonly Candidate[]; readonly capacity?: Capacity | undefined }
): readonly Considered[] {
  const verdict = (candidate: Candidate): Considered['verdict'] => {
    const size = verdictOf(candidate, need)
    return size === 'fits' && overLimit.includes(candidate) ? 'over-limit' : size
  }
  return candidates.map((candidate) => ({
    share: candidate.share,
    resource: candidate.resource,
    requires: candidate.requires,
    usableMiB: candidate.usableMiB,
    computeRatio: candidate.computeRatio,
    ...(capacity === undefined ? {} : { fill: fillOf(candidate, capacity) }),
    verdict: verdict(candidate)
  }))
}
