import { matchesSelector } from '../api/label-selector.ts'
import { namespaceNameLabel } from '../api/names.ts'
import { compareText } from '../compare-text.ts'
import type { EffectivePolicy, InvalidPolicy, PolicyReach, PolicyRead } from './effective-policy.ts'

/** The pod's side of the question. */
export interface PolicyQuestion {
  readonly namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  /** Whether the pod can reach a node with these labels when it tolerates these taints, or could once scaling up brings nodes with these profiles. */
  readonly reaches: (
    reach: Pick<EffectivePolicy, 'nodeSelector' | 'provisionable' | 'toleratedTaints'>
  ) => boolean
}

/** Which policy governs a pod. */
export type PolicyChoice =
  | {
      readonly kind: 'selected'
      readonly policy: EffectivePolicy
      /** Policies that would have come first, were they not invalid. */
      readonly insteadOf: readonly InvalidPolicy[]
    }
  | { readonly kind: 'none' }
  /** No valid policy governs it, but this one would have. */
  | InvalidPolicy

/** What is not known of an invalid policy. */
const nothingPromised = { provisionable: [], toleratedTaints: [] }

function byRank(a: PolicyReach, b: PolicyReach): number {
  return b.priority - a.priority || compareText(a.name, b.name)
}

function reachOf(read: PolicyRead): PolicyReach | undefined {
  return read.kind === 'valid' ? read.policy : read.reach
}

/** Kubernetes sets this label on every namespace; files and cases may leave it out. */
function labelsOf({
  namespace: { name, labels }
}: Pick<PolicyQuestion, 'namespace'>): Readonly<Record<string, string>> {
  return { ...labels, [namespaceNameLabel]: name }
}

interface Ranked {
  readonly read: PolicyRead
  readonly reach: PolicyReach
}

/** By list of policies: it stays the same until a policy changes, and pods come much more often. */
const ranks = new WeakMap<readonly PolicyRead[], readonly Ranked[]>()

/** All policies that say whom they are for, the first one first. */
function ranked(policies: readonly PolicyRead[]): readonly Ranked[] {
  const known = ranks.get(policies)
  if (known !== undefined) return known
  const all = policies
    .flatMap((read) => {
      const reach = reachOf(read)
      return reach === undefined ? [] : [{ read, reach }]
    })
    .toSorted((a, b) => byRank(a.reach, b.reach))
  ranks.set(policies, all)
  return all
}

/** Policies whose selector matches the namespace, the first one first. */
function rankedPolicies(
  policies: readonly PolicyRead[],
  namespace: PolicyQuestion['namespace']
): readonly Ranked[] {
  const all = ranked(policies)
  if (all.every(({ reach: { namespaceSelector } }) => !namespaceSelector)) return all
  const labels = labelsOf({ namespace })
  return all.filter(
    ({ reach: { namespaceSelector } }) => !namespaceSelector || matchesSelector(namespaceSelector, labels)
  )
}

/** The valid policies of a namespace whatever nodes they are for, suspended ones too, the first one first. */
export function policiesOf(
  policies: readonly PolicyRead[],
  namespace: PolicyQuestion['namespace']
): readonly EffectivePolicy[] {
  return rankedPolicies(policies, namespace).flatMap(({ read }) => (read.kind === 'valid' ? read.policy : []))
}

/**
 * The policy that governs a pod: of the valid, not suspended ones whose `namespaceSelector` matches its namespace (absent: every
 * one) and whose `nodeSelector` matches a node that it can reach, the highest priority, then the first name. An invalid policy
 * turns only itself off.
 */
export function selectPolicy(
  policies: readonly PolicyRead[],
  { namespace, reaches }: PolicyQuestion
): PolicyChoice {
  const active = rankedPolicies(policies, namespace).filter(({ reach }) => !reach.suspended)
  const insteadOf: InvalidPolicy[] = []
  for (const { read, reach } of active) {
    if (!reaches(read.kind === 'valid' ? read.policy : { ...nothingPromised, ...reach })) continue
    if (read.kind === 'valid') {
      return { kind: 'selected', policy: read.policy, insteadOf }
    }
    insteadOf.push(read)
  }
  return insteadOf[0] ?? { kind: 'none' }
}
