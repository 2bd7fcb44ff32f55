import { ownAnnotations, sliceLabel, userAnnotations } from '../api/names.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { enforcementOf, isRewriting } from '../policy/enforcement.ts'
import { exemptionFor } from '../policy/exemption.ts'
import type { Refusal } from '../sharing/method.ts'
import type { NodeClass } from '../sharing/node-index.ts'
import { assignWithin } from './assign-within.ts'
import { asWholeGpus } from './beside-whole.ts'
import { findingOf, needsOf, placeNow } from './by-size.ts'
import { choiceFor, refuseByIsolation } from './choice.ts'
import type { Decision, DecisionInput, Rewrite } from './decision.ts'
import { governingPolicy } from './govern.ts'
import { busyRefusal } from './need.ts'
import { type Conclusion, keep, toRewrite } from './outcome.ts'
import { alreadyHas, claimedOriginals, isSettled } from './own-output.ts'
import { pinnedDemand, pinnedShares, whyPinIsTooLarge } from './pin.ts'
import { placementRefusal } from './placement.ts'
import { type GpuContainer, gpuContainersOf, keepsWholeRefusal, outsideRefusal } from './whom.ts'
import { containersRefusal, severalContainers, whyNothingOffered } from './why-none.ts'
import { misplacedWishes, readWishes, type Wishes } from './wishes.ts'
import { limitsBefore, withinLimits } from './within-limits.ts'

/**
 * What is to be done with a pod. Pure, deterministic and total: any input gives an answer.
 * A pod that already carries this decision gets it again, with nothing left to change.
 */
export function decide(input: DecisionInput): Decision {
  return decideAgain(input) ?? decideFresh(input)
}

/** The decision that the pod carries already; undefined when it carries none that would be made now. */
function decideAgain(input: DecisionInput): Decision | undefined {
  if (input.pod.annotations[ownAnnotations.originalResources] === undefined) return undefined
  let found: Rewrite | undefined
  if (placementRefusal(input.pod) !== undefined) return undefined
  const named = new Set(
    input.policies.flatMap((read) => (read.kind === 'valid' ? read.policy.toleratedTaints : []))
  )
  const befores = claimedOriginals(input.pod, named).flatMap((pod) =>
    limitsBefore(input).map((limits) => ({ ...input, ...limits, pod }))
  )
  for (const before of befores) {
    const again = decideFresh({ ...before, capacity: undefined }, input.pod.labels[sliceLabel])
    if (again.kind !== 'rewrite' || !alreadyHas(input.pod, again)) continue
    const carried = { ...again, tolerates: [] }
    if (isSettled(input.pod, again)) return { ...carried, repeated: true }
    found ??= carried
  }
  return found
}

/** A pod that a policy governs, with all that the rest of the decision needs. */
interface Governed {
  readonly input: DecisionInput
  readonly containers: readonly GpuContainer[]
  readonly reachable: readonly NodeClass[]
  readonly policy: EffectivePolicy
  /** false where namespace or policy only want to be told. */
  readonly enforced: boolean
  readonly notices: readonly string[]
  /** Share that the pod carries as our earlier answer. */
  readonly held: string | undefined
}

/** @param held label of a share that the pod carries as our earlier answer */
function decideFresh(given: DecisionInput, held?: string): Decision {
  const input = { ...given, pod: asWholeGpus(given.pod, given.policies) }
  const containers = gpuContainersOf(input.pod)
  const outside = outsideRefusal(input, containers)
  if (outside !== undefined) return keep(input, outside)
  const enforcedByNamespace = enforcementOf(input.namespace.labels) === 'enforce'
  const stale = refuseStale(input)
  if (stale !== undefined) return keep(input, stale, { enforced: enforcedByNamespace })
  const tooComplex = placementRefusal(input.pod) ?? containersRefusal(containers)
  if (tooComplex !== undefined) return keep(input, tooComplex, { enforced: enforcedByNamespace })
  const choice = governingPolicy(input)
  if (choice.kind === 'none')
    return keep(input, keepsWholeRefusal(input, containers) ?? choice.refusal, {
      enforced: enforcedByNamespace
    })
  const { policy, reachable } = choice
  const enforced = isRewriting(policy, input.namespace.labels)
  const notices = [...choice.notices, ...misplacedWishes(input.pod)]
  return decideGoverned({ input, containers, reachable, policy, enforced, notices, held })
}

/** Nodes, policies and labels may be others by now, and a pod that asks for what is gone never starts. */
function refuseStale({ heardMs, nowMs, settings: { staleAfterMs } }: DecisionInput): Refusal | undefined {
  if (heardMs === undefined || staleAfterMs === undefined || nowMs - heardMs <= staleAfterMs) return undefined
  const [silentSeconds, boundSeconds] = [nowMs - heardMs, staleAfterMs].map((ms) => Math.round(ms / 1000))
  return {
    reason: 'StaleCache',
    sentence: `the API server was not heard of for ${silentSeconds} s, more than ${boundSeconds} s`
  }
}

function decideGoverned(frame: Governed): Decision {
  const { input, containers, policy, enforced } = frame
  const options = { policy, enforced, notices: frame.notices }
  if (policy.rewrite === 'off') {
    return keep(
      input,
      { reason: 'RewriteOff', sentence: `policy ${policy.name} has rewriting off` },
      { policy }
    )
  }
  const reading = readWishes(input.pod)
  if (!reading.ok) {
    return keep(input, { reason: 'AnnotationInvalid', sentence: reading.faults.join('; ') }, options)
  }
  const refusal =
    keepsWholeRefusal(input, containers, policy) ??
    refuseByWish(reading.wishes, policy) ??
    refuseByExemption(input, policy)
  if (refusal !== undefined) return keep(input, refusal, options)
  return decideByPin(frame, reading.wishes) ?? decideBySize(frame, reading.wishes)
}

/** The share that the pod is pinned to; undefined when it is not, or when the policy does not obey pins. */
function decideByPin(frame: Governed, wishes: Wishes): Decision | undefined {
  const { input, policy, enforced, notices } = frame
  const { pin } = wishes
  if (pin === undefined || pin.kind === 'whole-gpu' || !policy.allowPin) return undefined
  const options = { policy, enforced, notices }
  const pinned = pinnedShares(pin, choiceFor(frame, wishes))
  if (pinned.kind === 'refusal') return keep(input, pinned, options)
  const demands = frame.containers.map(({ container }) => pinnedDemand(container, pin, wishes))
  const within = withinLimits(pinned.candidates, { input, policy, demands })
  const assignments = assignWithin(demands, pinned.candidates, within)
  if (assignments === undefined)
    return keep(input, whyPinIsTooLarge(pin, wishes) ?? severalContainers, options)
  if (assignments.kind === 'refusal') return keep(input, assignments, options)
  return conclude(frame, {
    reason: 'PinnedToSlice',
    assignments: assignments.shares,
    needs: [],
    findings: [],
    notices
  })
}

function pinIgnored(policy: EffectivePolicy): string {
  return `${userAnnotations.pin} is not obeyed: policy ${policy.name} has exemptions.allowPin false`
}

function refuseByWish(wishes: Wishes, policy: EffectivePolicy): Refusal | undefined {
  if (wishes.sharing === 'never')
    return { reason: 'OptedOut', sentence: `${userAnnotations.sharing} is never` }
  return wishes.pin?.kind === 'whole-gpu' && policy.allowPin
    ? { reason: 'Pinned', sentence: `${userAnnotations.pin} is whole-gpu` }
    : undefined
}

function refuseByExemption(
  { exemptions, pod, workload, nowMs }: DecisionInput,
  { maxExemptionSeconds: maxSeconds }: EffectivePolicy
): Refusal | undefined {
  const subject = { labels: pod.labels, workload }
  const exemption = exemptionFor(exemptions, 'Rewrite', { subject, time: { nowMs, maxSeconds } })
  return exemption && { reason: 'Exempt', sentence: `GpuExemption ${exemption.name} keeps its whole GPU` }
}

function decideBySize(frame: Governed, wishes: Wishes): Decision {
  const { input, policy, enforced, reachable } = frame
  const notices = wishes.pin === undefined ? frame.notices : [...frame.notices, pinIgnored(policy)]
  const options = { policy, enforced, notices }
  const needs = needsOf(frame, wishes)
  if ('reason' in needs) return keep(input, needs, options)
  const choice = choiceFor(frame, wishes)
  const within = withinLimits(choice.permitted, { input, policy, demands: needs })
  const findings = needs.map((need) => findingOf(need, { choice, within, capacity: input.capacity }))
  const busy = needs.map((need) => busyRefusal(need, policy)).find((refusal) => refusal !== undefined)
  if (busy !== undefined) return keep(input, busy, { ...options, findings })
  if (choice.permitted.length === 0) {
    const refusal = whyNothingOffered(choice, { pod: input.pod, index: input.nodes, reachable })
    return keep(input, refusal, { ...options, findings })
  }
  const placing = placeNow(frame, { needs, choice, within, findings })
  if (placing.kind === 'refusal') return keep(input, placing, { ...options, findings })
  const { assignments } = placing
  const isSlice = assignments.every(({ candidate }) => candidate.replicas === 1)
  return conclude(frame, {
    reason: isSlice ? 'FitsMigProfile' : 'FitsSharedReplica',
    assignments,
    needs,
    findings,
    notices: [...notices, ...placing.notices]
  })
}

/** The rewrite, or the proposal of it where nothing may be changed. */
function conclude({ input, policy, enforced }: Governed, conclusion: Omit<Conclusion, 'policy'>): Decision {
  const { notices, findings } = conclusion
  const breach = refuseByIsolation(input, false)
  if (breach !== undefined) return keep(input, breach, { policy, enforced, notices, findings })
  const rewrite = toRewrite(input, { ...conclusion, policy })
  if (enforced) return rewrite
  const isWarned = enforcementOf(input.namespace.labels) === 'warn'
  const cause = isWarned ? `namespace ${input.namespace.name}` : `policy ${policy.name}`
  const refusal: Refusal = { reason: 'ProposeOnly', sentence: `${cause} only proposes: ${rewrite.sentence}` }
  const kept = keep(input, refusal, { policy, notices, findings })
  return { ...kept, proposed: rewrite }
}
