import { celList, celPattern } from '../api/cel.ts'
import { quantityToCount } from '../api/quantity.ts'
import { foreignNamePattern } from '../gpu/foreign-resource.ts'
import { parseProductLabel } from '../gpu/product-label.ts'
import { fromDottedProfile } from '../gpu/profile.ts'
import { type GpuResource, gpuResourcePatterns, parseGpuResourceName } from '../gpu/resource-name.ts'
import type { JsonRecord } from '../json.ts'
import type { NodeRequirement, PodView } from '../pod/pod-view.ts'
import type { SecurityContainer, SecurityView } from '../pod/security-view.ts'
import { gkeLabels } from '../sharing/gke-labels.ts'
import { nodeLabels } from '../sharing/node-labels.ts'

/** One GPU resource that a container asks for. */
export interface GpuAsk {
  readonly container: SecurityContainer
  /** As the user wrote it: what follows the domain of another system may hold anything, so it is shown by `showName`. */
  readonly name: string
  readonly resource: GpuResource
  /** The higher of limit and request; undefined for what is no count. */
  readonly count: number | undefined
  /** Whether the device may be shared with other pods, by the resource's name or by the nodes that the pod selects. */
  readonly shared: boolean
}

/** Systems whose resources are a part of a GPU that software keeps apart. */
const softwareSharing: ReadonlySet<string> = new Set([
  'hami',
  'vgpu',
  'nos',
  'volcano',
  'aliyun',
  'koordinator-share',
  'run.ai',
  'tencent',
  'aws-vgpu'
])

/**
 * Whether container `c` asks for a resource whose name matches, for the API server; requests equal limits there.
 * @param also further condition on the name `k`
 */
export function celAsks(pattern: string, also = 'true'): string {
  return `c.?resources.?limits.orValue({}).exists(k, k.matches(${celPattern(pattern)}) && string(c.resources.limits[k]) != '0' && ${also})`
}

/** Names of GPU resources for `celAsks`; whatever `nvidia.com` has is a GPU, known or not. */
export const askPatterns = {
  ...gpuResourcePatterns,
  any: foreignNamePattern(),
  ours: `${gpuResourcePatterns.whole}|${gpuResourcePatterns.slice}|${gpuResourcePatterns.replica}`,
  shared: `${gpuResourcePatterns.replica}|${foreignNamePattern(softwareSharing)}`
} as const

/** Every GPU resource that a container of the pod asks for; zero is no request. */
export function gpuAsksOf(security: SecurityView, pod: PodView): readonly GpuAsk[] {
  const selectsShared = sharedSelectionOf(pod) !== undefined
  return security.containers.flatMap((container) => asksOf(container, selectsShared))
}

function asksOf(container: SecurityContainer, selectsShared: boolean): readonly GpuAsk[] {
  const { limits, requests } = container
  if (limits === undefined && requests === undefined) return []
  const names = new Set([...Object.keys(limits ?? {}), ...Object.keys(requests ?? {})])
  return [...names].sort().flatMap((name) => {
    const resource = name.includes('/') ? parseGpuResourceName(name) : undefined
    if (resource === undefined) return []
    const count = highest(countIn(limits, name), countIn(requests, name))
    if (count === 0) return []
    const shared = isShared(resource) || (selectsShared && resource.kind !== 'foreign')
    return { container, name, resource, count, shared }
  })
}

function isShared(resource: GpuResource): boolean {
  return resource.kind === 'shared' || (resource.kind === 'foreign' && softwareSharing.has(resource.system))
}

function countIn(map: JsonRecord | undefined, name: string): number | undefined {
  return map === undefined || !Object.hasOwn(map, name) ? 0 : quantityToCount(map[name])
}

function highest(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined || second === undefined ? undefined : Math.max(first, second)
}

/** Marks of KAI and Run:ai that ask for a part of a GPU without any resource. @source KAI scheduler documentation, GPU sharing */
const fractionMarks = ['gpu-fraction', 'gpu-memory', 'runai/gpu-fraction', 'runai/gpu-memory'] as const

/** Whether the pod has such a mark, for the API server. */
export const celFraction = `${celList(fractionMarks)}.exists(k, (k in variables.annotations && variables.annotations[k] != '') || (k in variables.labels && variables.labels[k] != ''))`

/** The annotation or label by which the pod asks another scheduler for a part of a GPU; undefined when it has none. */
export function fractionMarkOf({ annotations, labels }: SecurityView): string | undefined {
  return fractionMarks.find((mark) => (annotations[mark] ?? labels[mark] ?? '') !== '')
}

const sharingLabel =
  /^(?:cloud\.google\.com\/gke-gpu-sharing-strategy|nvidia\.com\/(?:gpu|mig-[\w.-]+)\.sharing-strategy)$/
const unshared: ReadonlySet<string> = new Set(['none', ''])

/** The node label by which the pod picks nodes whose GPUs are shared: `nvidia.com/gpu.sharing-strategy=mps`. */
export function sharedSelectionOf({ nodeSelector, nodeTerms = [] }: PodView): string | undefined {
  const selected = Object.entries(nodeSelector).find(([key, value]) => picksShared(key, [value]))
  if (selected !== undefined) return selected.join('=')
  return nodeTerms
    .flatMap(({ expressions }) => expressions)
    .map(sharedTermOf)
    .find((term) => term !== undefined)
}

/** The node label by which the pod picks nodes that are cut into slices of one profile, and that profile. */
export function sliceSelectionOf({
  nodeSelector
}: PodView): { readonly label: string; readonly profile: string } | undefined {
  return [nodeLabels.product, gkeLabels.partitionSize].flatMap((key) => {
    const value = nodeSelector[key]
    const profile = value === undefined ? undefined : profileNamedBy(key, value)
    return profile === undefined ? [] : [{ label: `${key}=${value}`, profile }]
  })[0]
}

function profileNamedBy(key: string, value: string): string | undefined {
  if (key === gkeLabels.partitionSize) return fromDottedProfile(value)
  const { layout } = parseProductLabel(value)
  return layout.kind === 'mig' ? layout.profile : undefined
}

/** One requirement of node affinity that only shared nodes meet, as text. */
function sharedTermOf({ key, operator, values }: NodeRequirement): string | undefined {
  if (operator === 'In') return picksShared(key, values) ? `${key}=${values.join('|')}` : undefined
  if (operator === 'Exists') return onlyOnShared.has(key) ? key : undefined
  const isExcluded = operator === 'NotIn' && sharingLabel.test(key) && values.includes('none')
  return isExcluded ? `${key}!=none` : undefined
}

function picksShared(key: string, values: readonly string[]): boolean {
  if (sharingLabel.test(key)) return values.some((value) => !unshared.has(value))
  if (key === gkeLabels.maxSharedClients) return values.length > 0
  if (key === nodeLabels.replicas) return values.some((value) => severalReplicas.test(value))
  return key === nodeLabels.product && values.some((value) => value.endsWith('-SHARED'))
}

/** Labels that GKE puts on nodes with shared GPUs alone. */
const onlyOnShared: ReadonlySet<string> = new Set([gkeLabels.sharingStrategy, gkeLabels.maxSharedClients])
const severalReplicas = /^(?:[2-9]|[1-9][0-9]+)$/

/** Whether the pod selects shared nodes by its nodeSelector, for the API server; affinity is left to the webhook. */
export const celSelectsShared = `object.spec.?nodeSelector.orValue({}).exists(k, k.matches(${celPattern(sharingLabel.source)}) ? !(object.spec.nodeSelector[k] in ${celList(unshared)}) : k == '${gkeLabels.maxSharedClients}' ? true : k == '${nodeLabels.replicas}' ? object.spec.nodeSelector[k].matches(${celPattern(severalReplicas.source)}) : k == '${nodeLabels.product}' && object.spec.nodeSelector[k].endsWith('-SHARED'))`
