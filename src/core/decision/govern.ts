import type { EffectivePolicy, InvalidPolicy } from '../policy/effective-policy.ts'
import { selectPolicy } from '../policy/select-policy.ts'
import type { Refusal } from '../sharing/method.ts'
import { type NodeClass, reachableClasses, selectedClasses } from '../sharing/node-index.ts'
import type { DecisionInput } from './decision.ts'
import { whyOutOfReach } from './why-none.ts'

/** The policy that governs a pod with the nodes that it can reach, or why none does. */
export type Governing =
  | {
      readonly kind: 'governed'
      readonly policy: EffectivePolicy
      readonly reachable: readonly NodeClass[]
      /** What the pod's user should know of policies that would have come first. */
      readonly notices: readonly string[]
    }
  | { readonly kind: 'none'; readonly refusal: Refusal }

/** Looks for the policy that governs the pod on a node that it can reach. */
export function governingPolicy(input: DecisionInput): Governing {
  const reach = classesByTaints(input)
  const selection = selectPolicy(input.policies, {
    namespace: input.namespace,
    reaches: ({ nodeSelector, provisionable, toleratedTaints }) =>
      selectedClasses(input.nodes, reach(toleratedTaints), nodeSelector).length > 0 ||
      (provisionable.length > 0 && isScaledToZero(input, nodeSelector))
  })
  switch (selection.kind) {
    case 'selected': {
      const { policy, insteadOf } = selection
      const notices = insteadOf.map((invalid) => invalidPolicy(invalid).sentence)
      return { kind: 'governed', policy, reachable: reach(policy.toleratedTaints), notices }
    }
    case 'invalid':
      return { kind: 'none', refusal: invalidPolicy(selection) }
    case 'none':
      return { kind: 'none', refusal: ungoverned(input) }
  }
}

/** The classes in reach by the taints that a policy names, looked up once for each list of them. */
function classesByTaints({ nodes, pod }: DecisionInput): (named: readonly string[]) => readonly NodeClass[] {
  const known = new Map<string, readonly NodeClass[]>()
  return (named) => {
    const key = named.join(' ')
    const classes = known.get(key) ?? reachableClasses(nodes, pod, named)
    known.set(key, classes)
    return classes
  }
}

function invalidPolicy({ name, faults }: InvalidPolicy): Refusal {
  const first = faults[0]
  const what = first === undefined ? '' : `: ${first.field} ${first.message}`
  return { reason: 'PolicyInvalid', sentence: `policy ${name} is invalid and switched off${what}` }
}

/** Whether the nodes of a selector are still to come, and the pod would be let onto them. */
function isScaledToZero({ pod, nodes }: DecisionInput, selector: EffectivePolicy['nodeSelector']): boolean {
  const contradicts = Object.keys(selector).some(
    (key) => pod.nodeSelector[key] !== undefined && pod.nodeSelector[key] !== selector[key]
  )
  return !contradicts && selectedClasses(nodes, nodes.classes, selector).length === 0
}

/** No policy governs the pod on a node that it can reach; one may govern nodes that it cannot, or that are not there. */
function ungoverned({ pod, namespace, policies, nodes }: DecisionInput): Refusal {
  const elsewhere = selectPolicy(policies, {
    namespace,
    reaches: ({ nodeSelector }) => selectedClasses(nodes, nodes.classes, nodeSelector).length > 0
  })
  const outOfReach = elsewhere.kind === 'selected' ? whyOutOfReach(pod, nodes) : undefined
  if (outOfReach !== undefined) return outOfReach
  const anywhere = selectPolicy(policies, { namespace, reaches: () => true })
  const sentence =
    anywhere.kind === 'selected' && elsewhere.kind === 'none'
      ? `no ready node matches the nodeSelector of policy ${anywhere.policy.name}`
      : `no policy governs namespace ${namespace.name} on a node that the pod can reach`
  return { reason: 'NoPolicyMatches', sentence }
}
