import { permittedCandidates } from '../../core/decision/fit.ts'
import { findCatalogProfile, gpuModels } from '../../core/gpu/catalog.ts'
import { WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import type { EffectivePolicy, PolicyRead } from '../../core/policy/effective-policy.ts'
import { enforcementOf } from '../../core/policy/enforcement.ts'
import { policiesOf } from '../../core/policy/select-policy.ts'
import type { ResourceQuota } from '../../core/quota/resource-quota.ts'
import type { Candidate } from '../../core/sharing/candidates.ts'
import { methodNamed } from '../../core/sharing/methods.ts'
import { type NodeIndex, selectedClasses } from '../../core/sharing/node-index.ts'
import { modelOf } from '../../core/sharing/node-labels.ts'
import type { NamespaceView } from '../../gather/cluster-state.ts'

/** The part of a cluster that suggestions rest on. */
export interface SuggestSight {
  readonly nodes: NodeIndex
  readonly policies: readonly PolicyRead[]
  readonly namespaces: readonly NamespaceView[]
  readonly quotas: readonly ResourceQuota[]
}

/** A share that a policy may choose and that is counted by another name than the whole GPU. */
export interface ChoosableShare {
  readonly resource: string
  /** How many of it one GPU has, on the model that has fewest; 1 where that is not known. */
  readonly perGpu: number
}

/** Namespaces whose pods are looked at, in order of their names. */
export function optedInNamespaces({
  namespaces
}: Pick<SuggestSight, 'namespaces'>): readonly NamespaceView[] {
  return namespaces
    .filter(({ labels }) => enforcementOf(labels) !== 'off')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What policies may choose for pods of a namespace, in order of names. */
export function choosableShares(
  { nodes, policies }: Pick<SuggestSight, 'nodes' | 'policies'>,
  namespace: NamespaceView
): readonly ChoosableShare[] {
  const acting = policiesOf(policies, namespace).filter(
    ({ suspended, rewrite }) => !suspended && rewrite !== 'off'
  )
  const shares = acting.flatMap((policy) => sharesOf(policy, nodes, namespace))
  const byName = Map.groupBy(shares, ({ resource }) => resource)
  return [...byName]
    .map(([resource, all]) => ({ resource, perGpu: Math.min(...all.map(({ perGpu }) => perGpu)) }))
    .toSorted((a, b) => (a.resource < b.resource ? -1 : 1))
}

function sharesOf(
  policy: EffectivePolicy,
  nodes: NodeIndex,
  namespace: NamespaceView
): readonly ChoosableShare[] {
  const governed = selectedClasses(nodes, nodes.classes, policy.nodeSelector)
  return permittedCandidates({ policy, namespace }, nodes, governed).permitted.flatMap((candidate) => {
    const ask = methodNamed(candidate.method).ask(candidate, { neededMiB: 0, neededCompute: undefined })
    const names = Object.keys(ask?.resources ?? {})
    if (names.includes(WHOLE_GPU)) return []
    return names.map((resource) => ({ resource, perGpu: perGpuOf(candidate) }))
  })
}

/** A profile that scaling up brings may come on any model that has it. */
function perGpuOf({ profile, replicas, where }: Candidate): number {
  if (profile === undefined) return replicas
  const models = where.length === 0 ? gpuModels : where.map(({ nodes: [node] }) => modelOf(node))
  const instances = models.flatMap((model) => {
    const known = model && findCatalogProfile(model, profile)?.maxInstances
    return known === undefined && where.length === 0 ? [] : [known ?? 1]
  })
  return replicas * (instances.length === 0 ? 1 : Math.min(...instances))
}
