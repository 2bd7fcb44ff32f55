import { userAnnotations } from '../api/names.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { enforcementOf, isRewriting } from '../policy/enforcement.ts'
import { exemptionFor } from '../policy/exemption.ts'
import { firstDefeat } from '../rules/defeats.ts'
import type { Candidate } from '../sharing/candidates.ts'
import type { Refusal } from '../sharing/method.ts'
import type { NodeClass } from '../sharing/node-index.ts'
import { anySize, assignShares } from './assign.ts'
import type { Decision, DecisionInput, Finding, Rewrite } from './decision.ts'
import { type Choice, considered, permittedCandidates } from './fit.ts'
import { governingPolicy } from './govern.ts'
import { busyRefusal, type Need, needOf } from './need.ts'
import { type Conclusion, keep, toRewrite } from './outcome.ts'
import { alreadyHas, claimedOriginals, isSettled } from './own-output.ts'
import { pinnedShares } from './pin.ts'
import { placementRefusal } from './placement.ts'
import { type GpuContainer, gpuContainersOf, keepsWholeRefusal, outsideRefusal } from './whom.ts'
import { severalContainers, whyNoneFits, whyNothingOffered } from './why-none.ts'
import { misplacedWishes, readWishes, type Wishes } from './wishes.ts'

/**
 * What is to be done with a pod. Pure, deterministic and total: any input gives an answer.
 * A pod that already carries this decision gets it again, with nothing left to change.
 */
export function decide(input: DecisionInput): Decision {
  return decideAgain(input) ?? decideFresh(input)
}

/** The decision that the pod carries already; undefined when it carries none that would be made now. */
function decideAgain(input: DecisionInput): Decision | undefined {
  let found: Rewrite | undefined
  if (placementRefusal(input.pod) !== undefined) return undefined
  for (const pod of claimedOriginals(input.pod)) {
    const again = decideFresh({ ...input, pod })
    if (again.kind !== 'rewrite' || !alreadyHas(input.pod, again)) continue
    if (isSettled(input.pod, again)) return { ...again, repeated: true }
    found ??= again
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
}

function decideFresh(input: DecisionInput): Decision {
  const containers = gpuContainersOf(input.pod)
  const outside = outsideRefusal(input, containers)
  if (outside !== undefined) return keep(input, outside)
  const enforcedByNamespace = enforcementOf(input.namespace.labels) === 'enforce'
  const stale = refuseStale(input)
  if (stale !== undefined) return keep(input, stale, { enforced: enforcedByNamespace })
  const tooComplex = placementRefusal(input.pod)
  if (tooComplex !== undefined) return keep(input, tooComplex, { enforced: enforcedByNamespace })
  const choice = governingPolicy(input)
  if (choice.kind === 'none')
    return keep(input, keepsWholeRefusal(input, containers) ?? choice.refusal, {
      enforced: enforcedByNamespace
    })
  const { policy, reachable } = choice
  const enforced = isRewriting(policy, input.namespace.labels)
  const notices = [...choice.notices, ...misplacedWishes(input.pod)]
  return decideGoverned({ input, containers, reachable, policy, enforced, notices })
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
    keepsWholeRefusal(input, containers) ??
    refuseByWish(reading.wishes, policy) ??
    refuseByExemption(input, policy)
  if (refusal !== undefined) return keep(input, refusal, options)
  return decideByPin(frame, reading.wishes) ?? decideBySize(frame, reading.wishes)
}

/** What the pod may be given; looked up only once its history has turned out to be evidence. */
function choiceFor({ input, policy, reachable }: Governed, wishes: Wishes): Choice {
  const context = { policy, namespace: input.namespace }
  const permitted = permittedCandidates(context, input.nodes, reachable)
  return narrowByIsolation(narrowBySharing(permitted, wishes), input)
}

/** A pod that steps around its share must not look as if it were bound by one. */
function refuseByIsolation(input: DecisionInput, asShared: boolean): Refusal | undefined {
  const defeat = firstDefeat(input, input.readDefeats(), asShared)
  return defeat === undefined ? undefined : { reason: 'BreaksIsolation', sentence: defeat.sentence }
}

/** A pod that could reach its neighbours on a shared GPU gets only what is kept apart in hardware. */
function narrowByIsolation(choice: Choice, input: DecisionInput): Choice {
  if (choice.permitted.every(isApart)) return choice
  const refusal = refuseByIsolation(input, true)
  return refusal === undefined ? choice : onlyApart(choice, refusal)
}

function isApart({ separation }: Candidate): boolean {
  return separation === 'hardware'
}

function onlyApart({ permitted, refused }: Choice, refusal: Refusal): Choice {
  const declined = permitted.filter((candidate) => !isApart(candidate))
  return {
    permitted: permitted.filter(isApart),
    refused: [...refused, ...declined.map((candidate) => ({ candidate, refusal }))]
  }
}

/** The share that the pod is pinned to; undefined when it is not, or when the policy does not obey pins. */
function decideByPin(frame: Governed, wishes: Wishes): Decision | undefined {
  const { input, policy, enforced, notices } = frame
  const { pin } = wishes
  if (pin === undefined || pin.kind === 'whole-gpu' || !policy.allowPin) return undefined
  const options = { policy, enforced, notices }
  const pinned = pinnedShares(pin, choiceFor(frame, wishes))
  if (pinned.kind === 'refusal') return keep(input, pinned, options)
  const demands = frame.containers.map(({ container }) => anySize(container))
  const assignments = assignShares(demands, pinned.candidates)
  if (assignments === undefined) return keep(input, severalContainers, options)
  return conclude(frame, { reason: 'PinnedToSlice', assignments, needs: [], findings: [], notices })
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

/** `sharing: mig` leaves only what is kept apart in hardware. */
function narrowBySharing(choice: Choice, { sharing }: Wishes): Choice {
  if (sharing !== 'mig') return choice
  return onlyApart(choice, {
    reason: 'OptedOut',
    sentence: `${userAnnotations.sharing} is mig, and only other shares are offered`
  })
}

function decideBySize(frame: Governed, wishes: Wishes): Decision {
  const { input, policy, enforced, reachable } = frame
  const notices = wishes.pin === undefined ? frame.notices : [...frame.notices, pinIgnored(policy)]
  const options = { policy, enforced, notices }
  const needs: Need[] = []
  for (const { container } of frame.containers) {
    const need = needOf(container, { usage: input.usage, policy, wishes })
    if (need.kind === 'refusal') return keep(input, need, options)
    needs.push(need)
  }
  const choice = choiceFor(frame, wishes)
  const findings = needs.map((need) => findingOf(need, choice))
  const busy = needs.map((need) => busyRefusal(need, policy)).find((refusal) => refusal !== undefined)
  if (busy !== undefined) return keep(input, busy, { ...options, findings })
  if (choice.permitted.length === 0) {
    const refusal = whyNothingOffered(choice, { pod: input.pod, index: input.nodes, reachable })
    return keep(input, refusal, { ...options, findings })
  }
  const assignments = assignShares(needs, choice.permitted)
  if (assignments === undefined) return keep(input, whyNoneFits(needs, choice), { ...options, findings })
  const isSlice = assignments.every(({ candidate }) => candidate.replicas === 1)
  return conclude(frame, {
    reason: isSlice ? 'FitsMigProfile' : 'FitsSharedReplica',
    assignments,
    needs,
    findings,
    notices
  })
}

function findingOf(need: Need, { permitted }: Choice): Finding {
  return {
    container: need.container.name,
    peakMiB: need.usage.peakMiB,
    neededMiB: need.neededMiB,
    headroomRatio: need.headroomRatio,
    coverageSeconds: need.usage.coverageSeconds,
    neededCompute: need.neededCompute,
    considered: considered(permitted, need)
  }
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
