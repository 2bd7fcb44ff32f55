import { anySize, type Demand } from '../decision/assign.ts'
import { asWholeGpus } from '../decision/beside-whole.ts'
import { choiceFor } from '../decision/choice.ts'
import type { DecisionInput } from '../decision/decision.ts'
import { type Choice, verdictOf } from '../decision/fit.ts'
import { governingPolicy } from '../decision/govern.ts'
import { needOf } from '../decision/need.ts'
import { pinnedDemand } from '../decision/pin.ts'
import { type GpuContainer, gpuContainersOf } from '../decision/whom.ts'
import { readWishes, type Wishes } from '../decision/wishes.ts'
import { withinLimits } from '../decision/within-limits.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import type { Candidate } from '../sharing/candidates.ts'
import { type Fill, fillOf } from '../sharing/capacity.ts'
import type { Refusal } from '../sharing/method.ts'
import { methodNamed } from '../sharing/methods.ts'
import type { NodeClass } from '../sharing/node-index.ts'
import { type PolicyStanding, policyStandings } from './policy-standings.ts'

/** What one container is known to need, or why that is not known. */
export interface ContainerTrace extends GpuContainer {
  readonly need: ReturnType<typeof needOf> | undefined
}

/** One way in which a pod could be served, with all that speaks for and against it. */
export interface ShareTrace {
  readonly candidate: Candidate
  /** Why policy, namespace or pod forbid it; undefined where it may be used. */
  readonly refusal: Refusal | undefined
  /** Why quotas or LimitRanges of the namespace forbid it; undefined where they do not. */
  readonly limit: Refusal | undefined
  /** How it compares with the need of each container whose need is known. */
  readonly fits: readonly { readonly container: string; readonly verdict: ReturnType<typeof verdictOf> }[]
  /** undefined where it is not known what is taken. */
  readonly fill: Fill | undefined
  /** What is and what is not kept apart, in words. */
  readonly isolates: string
}

/** Everything that a decision looked at, or would look at if nothing had ended it before. */
export interface Trace {
  readonly policies: readonly PolicyStanding[]
  /** The policy that governs; undefined where none does. */
  readonly policy: EffectivePolicy | undefined
  readonly wishes: Wishes | undefined
  readonly containers: readonly ContainerTrace[]
  /** Those that may be used first, in the order in which they are preferred. */
  readonly shares: readonly ShareTrace[]
}

/** What `decide` looks at for this input, laid open: it asks the same functions, and goes on where a decision ends early. */
export function traceOf(given: DecisionInput): Trace {
  const input = { ...given, pod: asWholeGpus(given.pod, given.policies) }
  const asking = gpuContainersOf(input.pod)
  const governing = governingPolicy(input)
  const policies = policyStandings(input)
  const reading = readWishes(input.pod)
  const wishes = reading.ok ? reading.wishes : undefined
  if (governing.kind === 'none' || wishes === undefined)
    return { policies, policy: undefined, wishes, containers: asking.map(unmeasured), shares: [] }
  const { policy, reachable } = governing
  const containers = asking.map((entry) => ({ ...entry, need: needIn(input, entry, { policy, wishes }) }))
  return {
    policies,
    policy,
    wishes,
    containers,
    shares: sharesOf({ input, policy, reachable, containers, wishes })
  }
}

function unmeasured(entry: GpuContainer): ContainerTrace {
  return { ...entry, need: undefined }
}

function needIn(
  { usage }: DecisionInput,
  { container, request }: GpuContainer,
  rule: { readonly policy: EffectivePolicy; readonly wishes: Wishes }
): ContainerTrace['need'] {
  return request.kind === 'whole' ? needOf(container, { usage, ...rule }) : undefined
}

interface Scope {
  readonly input: DecisionInput
  readonly policy: EffectivePolicy
  readonly reachable: readonly NodeClass[]
  readonly containers: readonly ContainerTrace[]
  readonly wishes: Wishes
}

function sharesOf(scope: Scope): readonly ShareTrace[] {
  const { input, policy, wishes } = scope
  const choice: Choice = choiceFor(scope, wishes)
  const demands = demandsOf(scope)
  const within = withinLimits(choice.permitted, { input, policy, demands })
  const limitOf = (candidate: Candidate): Refusal | undefined =>
    within.refused.find((entry) => entry.candidate === candidate)?.refusal
  return [
    ...choice.permitted.map((candidate) =>
      shareTrace(candidate, scope, { refusal: undefined, limit: limitOf(candidate) })
    ),
    ...choice.refused.map(({ candidate, refusal }) =>
      shareTrace(candidate, scope, { refusal, limit: undefined })
    )
  ]
}

/** A container whose need is not known is asked about as one that takes any size. */
function demandsOf({ containers, wishes: { pin, ...wishes } }: Scope): readonly Demand[] {
  return containers.map(({ container, need }) => {
    if (pin !== undefined && pin.kind !== 'whole-gpu') return pinnedDemand(container, pin, { pin, ...wishes })
    return need?.kind === 'need' ? need : anySize(container)
  })
}

function shareTrace(
  candidate: Candidate,
  { input: { capacity }, containers }: Scope,
  against: Pick<ShareTrace, 'refusal' | 'limit'>
): ShareTrace {
  return {
    candidate,
    ...against,
    fits: containers.flatMap(({ container, need }) =>
      need?.kind === 'need' ? [{ container: container.name, verdict: verdictOf(candidate, need) }] : []
    ),
    fill: capacity === undefined ? undefined : fillOf(candidate, capacity),
    isolates: methodNamed(candidate.method).isolates(candidate.separation)
  }
}
