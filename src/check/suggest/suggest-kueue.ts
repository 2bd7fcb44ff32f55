import type { NodeView } from '../../core/cluster/node-view.ts'
import { findCatalogProfile } from '../../core/gpu/catalog.ts'
import type { JsonRecord } from '../../core/json.ts'
import { WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import type { EffectivePolicy } from '../../core/policy/effective-policy.ts'
import { selectedClasses } from '../../core/sharing/node-index.ts'
import { countLabel, modelOf, nodeLabels, productOf } from '../../core/sharing/node-labels.ts'
import {
  type ChoosableShare,
  choosableShares,
  optedInNamespaces,
  type SuggestSight
} from './choosable-shares.ts'

/** Name of what whole GPUs and shares are counted in together. */
const UNITS = 'rightslice.dev/gpu-units'

/** Units of a whole GPU: divides by every number of shares up to eight, so that a seventh is 120. */
const UNITS_PER_GPU = 840

/** How Kueue's own namespace and the key of its settings are called. @source Kueue, installation */
const KUEUE_NAMESPACE = 'kueue-system'
const CONFIG_KEY = 'controller_manager_config.yaml'

/**
 * What an admin of Kueue should add: transformations by which shares and whole GPUs are counted in one unit, and a queue that covers
 * it. Empty where no policy may choose a share that has a name of its own.
 * @param toYaml prints the settings of Kueue, which lie as text in a ConfigMap
 * @source KEP 2937, https://kueue.sigs.k8s.io/docs/tasks/manage/administer_cluster_quotas/
 */
export function suggestKueue(sight: SuggestSight, toYaml: (value: object) => string): readonly JsonRecord[] {
  const shares = allShares(sight)
  const policies = sight.policies.flatMap((read) =>
    read.kind === 'valid' && !read.policy.suspended ? read.policy : []
  )
  if (shares.length === 0) return []
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'rightslice-kueue-transformations', namespace: KUEUE_NAMESPACE },
      data: { [CONFIG_KEY]: toYaml(configuration(shares)) }
    },
    ...policies.map(flavor),
    clusterQueue(policies, sight)
  ]
}

function allShares(sight: SuggestSight): readonly ChoosableShare[] {
  const shares = optedInNamespaces(sight).flatMap((namespace) => choosableShares(sight, namespace))
  const byName = Map.groupBy(shares, ({ resource }) => resource)
  return [...byName.keys()].sort().map((resource) => ({
    resource,
    perGpu: Math.min(...(byName.get(resource) ?? []).map(({ perGpu }) => perGpu))
  }))
}

function configuration(shares: readonly ChoosableShare[]): JsonRecord {
  const transformations = [{ resource: WHOLE_GPU, perGpu: 1 }, ...shares].map(({ resource, perGpu }) => ({
    input: resource,
    strategy: 'Replace',
    outputs: { [UNITS]: Math.ceil(UNITS_PER_GPU / perGpu) }
  }))
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    resources: { transformations }
  }
}

function flavor({ name, nodeSelector }: EffectivePolicy): JsonRecord {
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ResourceFlavor',
    metadata: { name: flavorName(name) },
    spec: Object.keys(nodeSelector).length === 0 ? {} : { nodeLabels: nodeSelector }
  }
}

function flavorName(policy: string): string {
  return `rightslice-${policy}`
}

/** Without a namespaceSelector it takes nobody, so applying it as it is changes nothing. */
function clusterQueue(policies: readonly EffectivePolicy[], { nodes }: SuggestSight): JsonRecord {
  const gpusOf = ({ nodeSelector }: EffectivePolicy): number =>
    selectedClasses(nodes, nodes.classes, nodeSelector)
      .flatMap(({ nodes: all }) => all)
      .reduce((sum, node) => sum + physicalGpus(node), 0)
  const flavors = policies.map((policy) => ({
    name: flavorName(policy.name),
    resources: [{ name: UNITS, nominalQuota: UNITS_PER_GPU * gpusOf(policy) }]
  }))
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ClusterQueue',
    metadata: { name: 'rightslice-shares' },
    spec: { resourceGroups: [{ coveredResources: [UNITS], flavors }] }
  }
}

/** Under the single strategy the label counts slices, as many on a GPU as its model has of the profile. */
function physicalGpus(node: NodeView): number {
  const count = countLabel(node, nodeLabels.count) ?? node.allocatable[WHOLE_GPU] ?? 0
  const layout = productOf(node)?.layout
  if (layout?.kind !== 'mig') return count
  const model = modelOf(node)
  return Math.floor(count / ((model && findCatalogProfile(model, layout.profile)?.maxInstances) ?? 1))
}
