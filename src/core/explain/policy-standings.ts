import { compareText } from '../compare-text.ts'
import type { DecisionInput } from '../decision/decision.ts'
import { governingPolicy } from '../decision/govern.ts'
import type { PolicyRead } from '../policy/effective-policy.ts'
import { selectPolicy } from '../policy/select-policy.ts'

/** How a policy stands to a pod. */
export interface PolicyStanding {
  readonly name: string
  readonly standing: 'governs' | 'outranked' | 'suspended' | 'invalid' | 'other-namespaces' | 'other-nodes'
  /** In words. */
  readonly why: string
}

/** Every policy and how it stands to the pod, the one that governs first, then by name. */
export function policyStandings(input: DecisionInput): readonly PolicyStanding[] {
  const governing = governingPolicy(input)
  const governs = governing.kind === 'governed' ? governing.policy.name : undefined
  const standings = input.policies.map((read) => standingOf(read, input, governs))
  return standings.toSorted(
    (a, b) =>
      Number(b.standing === 'governs') - Number(a.standing === 'governs') || compareText(a.name, b.name)
  )
}

function standingOf(read: PolicyRead, input: DecisionInput, governs: string | undefined): PolicyStanding {
  if (read.kind === 'invalid') {
    const [fault] = read.faults
    const what = fault === undefined ? '' : `: ${fault.field} ${fault.message}`
    return { name: read.name, standing: 'invalid', why: `invalid and switched off${what}` }
  }
  const { name, priority, suspended } = read.policy
  if (name === governs)
    return {
      name,
      standing: 'governs',
      why: `selects namespace ${input.namespace.name} and nodes in reach, and ranks first`
    }
  if (suspended) return { name, standing: 'suspended', why: 'it is suspended' }
  if (!matches([read], input, true))
    return {
      name,
      standing: 'other-namespaces',
      why: `its namespaceSelector leaves out namespace ${input.namespace.name}`
    }
  return governs !== undefined && matches([read], input, false)
    ? { name, standing: 'outranked', why: `${governs} ranks before it (priority ${priority}, then the name)` }
    : { name, standing: 'other-nodes', why: 'no node of its nodeSelector is one that the pod can reach' }
}

/** Whether the policy would govern were it alone. */
function matches(policies: readonly PolicyRead[], input: DecisionInput, anywhere: boolean): boolean {
  if (anywhere)
    return selectPolicy(policies, { namespace: input.namespace, reaches: () => true }).kind === 'selected'
  return governingPolicy({ ...input, policies }).kind === 'governed'
}
