import {
  fieldAt,
  fieldOf,
  isRecord,
  type JsonRecord,
  listOf,
  recordOf,
  stringMapOf,
  stringOf,
  stringsOf
} from '../json.ts'
import { readScopeTraits, type ScopeTraits } from './scope-traits.ts'

/** How a container lives: beside the others, as a native sidecar, or to its end before the others start. */
export type ContainerRole = 'app' | 'sidecar' | 'init'

/** The part of a container that is read. @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Container */
export interface ContainerView {
  readonly list: 'containers' | 'initContainers'
  /** Position in its list. */
  readonly index: number
  readonly name: string
  readonly image: string
  readonly role: ContainerRole
  /** Raw quantities by resource name; undefined when the object has no such map. */
  readonly limits: JsonRecord | undefined
  readonly requests: JsonRecord | undefined
  /** Names of the pod's claims that it uses, `NAME/REQUEST` where it uses one request of a claim. */
  readonly claims: readonly string[]
  /** Command and arguments, one after the other; empty for a container without a device, like `env`. */
  readonly words: readonly string[]
  /** Literal environment values by name, of a container that asks for a device; the last of two entries with one name wins, as at run time. */
  readonly env: Readonly<Record<string, string>>
}

/** One requirement on a node's labels or name. */
export interface NodeRequirement {
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
}

/** One term of required node affinity; terms are alternatives, requirements inside a term must all hold. */
export interface NodeTerm {
  readonly expressions: readonly NodeRequirement[]
  readonly fields: readonly NodeRequirement[]
}

/** A toleration, with absent fields left out. */
export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
}

/** A resource claim of a pod. */
export interface PodClaim {
  /** Name within the pod. */
  readonly name: string
  /** Template that it is made from; undefined where it is there by itself. */
  readonly template: string | undefined
}

/** The owner that controls a pod. */
export interface OwnerRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** The part of a Pod that decisions read. @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
export interface PodView {
  /** Namespace of the request; that of the object may be empty. */
  readonly namespace: string
  /** `metadata.name`, or `metadata.generateName` followed by `*` for a pod that has no name yet. */
  readonly name: string
  readonly generateName: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly owner: OwnerRef | undefined
  readonly nodeName: string | undefined
  readonly nodeSelector: Readonly<Record<string, string>>
  /** undefined when the pod has no required node affinity. */
  readonly nodeTerms: readonly NodeTerm[] | undefined
  readonly tolerations: readonly Toleration[]
  readonly schedulerName: string | undefined
  readonly runtimeClassName: string | undefined
  /** Whether the pod uses the IPC namespace of its node. */
  readonly hostIpc: boolean
  readonly claims: readonly PodClaim[]
  readonly gates: readonly string[]
  /** Name by which pods of a headless Service find each other; undefined where it has none. */
  readonly subdomain: string | undefined
  /** Group whose pods the scheduler places together; undefined where it is in none. */
  readonly schedulingGroup: string | undefined
  readonly scopeTraits: ScopeTraits
  /** Containers and init containers, in the order of their lists, init containers first. */
  readonly containers: readonly ContainerView[]
}

/**
 * Reads a pod as the API server sends it. Never throws: fields of another type than expected count as missing.
 * @param raw the object of an AdmissionReview, or a pod from a file
 * @param namespace namespace of the request
 */
export function readPod(raw: unknown, namespace: string): PodView {
  const metadata = fieldOf(raw, 'metadata')
  const spec = fieldOf(raw, 'spec')
  const generateName = stringOf(metadata, 'generateName')
  const containers = [...readContainers(spec, 'initContainers'), ...readContainers(spec, 'containers')]
  return {
    namespace,
    name: stringOf(metadata, 'name') ?? (generateName === undefined ? '' : `${generateName}*`),
    generateName,
    labels: stringMapOf(metadata, 'labels'),
    annotations: stringMapOf(metadata, 'annotations'),
    owner: readOwner(metadata),
    nodeName: stringOf(spec, 'nodeName'),
    nodeSelector: stringMapOf(spec, 'nodeSelector'),
    nodeTerms: readNodeTerms(spec),
    tolerations: listOf(spec, 'tolerations').filter(isRecord).map(readToleration),
    schedulerName: stringOf(spec, 'schedulerName'),
    runtimeClassName: stringOf(spec, 'runtimeClassName'),
    hostIpc: fieldOf(spec, 'hostIPC') === true,
    claims: listOf(spec, 'resourceClaims').map(readPodClaim),
    gates: listOf(spec, 'schedulingGates').flatMap((gate) => stringOf(gate, 'name') ?? []),
    subdomain: stringOf(spec, 'subdomain'),
    schedulingGroup: readSchedulingGroup(spec),
    scopeTraits: readScopeTraits(spec, containers),
    containers
  }
}

/** Kubernetes 1.35 names the Workload, later versions the group. @source KEP 4671 */
function readSchedulingGroup(spec: unknown): string | undefined {
  return (
    stringOf(fieldOf(spec, 'schedulingGroup'), 'podGroupName') ??
    stringOf(fieldOf(spec, 'workloadRef'), 'name')
  )
}

function readPodClaim(raw: unknown): PodClaim {
  return { name: stringOf(raw, 'name') ?? '', template: stringOf(raw, 'resourceClaimTemplateName') }
}

function readContainerClaim(raw: unknown): string {
  const request = stringOf(raw, 'request')
  return `${stringOf(raw, 'name') ?? ''}${request === undefined ? '' : `/${request}`}`
}

/** The controlling owner in an object's metadata, undefined when it has none. */
export function readOwner(metadata: unknown): OwnerRef | undefined {
  const owner = listOf(metadata, 'ownerReferences').find((ref) => fieldOf(ref, 'controller') === true)
  const kind = stringOf(owner, 'kind')
  const name = stringOf(owner, 'name')
  if (kind === undefined || name === undefined) return undefined
  return { apiVersion: stringOf(owner, 'apiVersion') ?? '', kind, name, uid: stringOf(owner, 'uid') ?? '' }
}

function readNodeTerms(spec: unknown): readonly NodeTerm[] | undefined {
  const required = fieldAt(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  if (!isRecord(required)) return undefined
  return listOf(required, 'nodeSelectorTerms').map((term) => ({
    expressions: listOf(term, 'matchExpressions').map(readRequirement),
    fields: listOf(term, 'matchFields').map(readRequirement)
  }))
}

function readRequirement(raw: unknown): NodeRequirement {
  return {
    key: stringOf(raw, 'key') ?? '',
    operator: stringOf(raw, 'operator') ?? '',
    values: stringsOf(raw, 'values')
  }
}

function readToleration(raw: JsonRecord): Toleration {
  const toleration: { -readonly [K in keyof Toleration]: Toleration[K] } = {}
  for (const key of ['key', 'operator', 'value', 'effect'] as const) {
    const value = stringOf(raw, key)
    if (value !== undefined) toleration[key] = value
  }
  return toleration
}

function readContainers(spec: unknown, list: ContainerView['list']): ContainerView[] {
  return listOf(spec, list).map((raw, index) => {
    const resources = fieldOf(raw, 'resources')
    const limits = recordOf(resources, 'limits')
    const requests = recordOf(resources, 'requests')
    const claims = listOf(resources, 'claims').map(readContainerClaim)
    const usesDevices = claims.length > 0 || isExtended(limits) || isExtended(requests)
    return {
      list,
      index,
      name: stringOf(raw, 'name') ?? '',
      image: stringOf(raw, 'image') ?? '',
      role: roleOf(raw, list),
      limits,
      requests,
      claims,
      words: usesDevices ? [...stringsOf(raw, 'command'), ...stringsOf(raw, 'args')] : [],
      env: usesDevices ? readEnv(raw) : {}
    }
  })
}

/** Whether a list of resources names one of a device plugin: those have a domain, `nvidia.com/gpu`. */
function isExtended(resources: JsonRecord | undefined): boolean {
  return resources !== undefined && Object.keys(resources).some((name) => name.includes('/'))
}

function roleOf(raw: unknown, list: ContainerView['list']): ContainerRole {
  if (list === 'containers') return 'app'
  return fieldOf(raw, 'restartPolicy') === 'Always' ? 'sidecar' : 'init'
}

function readEnv(raw: unknown): Readonly<Record<string, string>> {
  const env: Record<string, string> = Object.create(null)
  for (const entry of listOf(raw, 'env')) {
    const name = stringOf(entry, 'name')
    const value = fieldOf(entry, 'value')
    if (name !== undefined && typeof value === 'string') env[name] = value
  }
  return env
}
