import { userAnnotations } from '../api/names.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { enforcementOf } from '../policy/enforcement.ts'
import { exemptionFor } from '../policy/exemption.ts'
import type { Refusal } from '../sharing/method.ts'
import type { NodeClass } from '../sharing/node-index.ts'
import { type Assignment, assignShares } from './assign.ts'
import { asWholeGpus } from './beside-whole.ts'
import { choiceFor, refuseByIsolation } from './choice.ts'
import type { Decision, DecisionInput, Finding, Rewrite } from './decision.ts'
import { type Choice, considered } from './fit.ts'
import { governingPolicy } from './govern.ts'
import { SEVERAL } from './marks.ts'
import { busyRefusal, type Need, needOf } from './need.ts'
import { type Conclusion, evidenceOf, keep, toRewrite } from './outcome.ts'
import { alreadyHas, claimedOriginals, heldShare, isSettled } from './own-output.ts'
import { pinnedDemand, pinnedShares, whyPinIsTooLarge } from './pin.ts'
import { type Placing, place } from './place.ts'
import { placementRefusal } from './placement.ts'
import { canaryRefusal, fallbackRefusal } from './trial.ts'
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
    const again = decideFresh({ ...input, pod, capacity: undefined }, heldShare(input.pod))
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
  const tooComplex = placementRefusal(input.pod)
  if (tooComplex !== undefined) return keep(input, tooComplex, { enforced: enforcedByNamespace })
  const choice = governingPolicy(input)
  if (choice.kind === 'none')
    return keep(input, keepsWholeRefusal(input, containers) ?? choice.refusal, {
      enforced: enforcedByNamespace
    })
  const { policy, reachable } = choice
  const enforced = enforcedByNamespace && policy.rewrite === 'enforce' && policy.mode !== 'Propose'
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
    keepsWholeRefusal(input, containers) ??
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
  const assignments = assignShares(demands, pinned.candidates)
  if (assignments === undefined)
    return keep(input, whyPinIsTooLarge(pin, wishes) ?? severalContainers, options)
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

function decideBySize(frame: Governed, wishes: Wishes): Decision {
  const { input, policy, enforced, reachable } = frame
  const notices = wishes.pin === undefined ? frame.notices : [...frame.notices, pinIgnored(policy)]
  const options = { policy, enforced, notices }
  const needs = needsOf(frame, wishes)
  if ('reason' in needs) return keep(input, needs, options)
  const choice = choiceFor(frame, wishes)
  const findings = needs.map((need) => findingOf(need, choice, input.capacity))
  const busy = needs.map((need) => busyRefusal(need, policy)).find((refusal) => refusal !== undefined)
  if (busy !== undefined) return keep(input, busy, { ...options, findings })
  if (choice.permitted.length === 0) {
    const refusal = whyNothingOffered(choice, { pod: input.pod, index: input.nodes, reachable })
    return keep(input, refusal, { ...options, findings })
  }
  const placing = placeNow(frame, { needs, choice, findings })
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

/** What each container needs, or why its history, or what became of pods before it, is against a share. */
function needsOf({ input, containers, policy }: Governed, wishes: Wishes): readonly Need[] | Refusal {
  const fallback = fallbackRefusal(input)
  if (fallback !== undefined) return fallback
  const needs: Need[] = []
  for (const { container } of containers) {
    const need = needOf(container, { usage: input.usage, policy, wishes })
    if (need.kind === 'refusal') return need
    needs.push(need)
  }
  return needs
}

interface Sized {
  readonly needs: readonly Need[]
  readonly choice: Choice
  readonly findings: readonly Finding[]
}

/** The shares that the pod gets now, or why it gets none. */
function placeNow(
  { input, policy, reachable, held }: Governed,
  { needs, choice, findings }: Sized
): Extract<Placing, { kind: 'placed' }> | ({ readonly kind: 'refusal' } & Refusal) {
  const placing = place({
    demands: needs,
    permitted: choice.permitted,
    policy,
    capacity: input.capacity,
    hasWhole: reachable.some(({ nodes: [node] }) => (node.allocatable[WHOLE_GPU] ?? 0) > 0),
    siblings: input.siblings ?? [],
    held,
    snapshot: evidenceOf(input, policy, findings).snapshot
  })
  if (placing.kind === 'none-fits') return { ...whyNoneFits(needs, choice), kind: 'refusal' }
  if (placing.kind === 'taken') return { ...placing, kind: 'refusal' }
  const onTrial = held === undefined ? canaryRefusal(input, policy, shareOf(placing.assignments)) : undefined
  return onTrial === undefined ? placing : { ...onTrial, kind: 'refusal' }
}

/** The label that the pod will carry. */
function shareOf(assignments: readonly Assignment[]): string {
  const [share = SEVERAL, ...others] = new Set(assignments.map(({ candidate }) => candidate.share))
  return others.length === 0 ? share : SEVERAL
}

function findingOf(need: Need, { permitted }: Choice, capacity: DecisionInput['capacity']): Finding {
  return {
    container: need.container.name,
    peakMiB: need.usage.peakMiB,
    neededMiB: need.neededMiB,
    headroomRatio: need.headroomRatio,
    coverageSeconds: need.usage.coverageSeconds,
    neededCompute: need.neededCompute,
    considered: considered(permitted, need, capacity)
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
