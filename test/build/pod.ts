import type { JsonRecord } from '../../src/core/json.ts'

/** What a test says about a container; what it leaves out is that of a plain container asking for one whole GPU. */
export interface ContainerSpec {
  readonly name?: string
  readonly image?: string
  /** Default `nvidia.com/gpu: "1"`; `{}` for a container without a GPU. */
  readonly limits?: JsonRecord
  /** Default: as `limits`, which is what the API server fills in; undefined for a container without requests. */
  readonly requests?: JsonRecord | undefined
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly claims?: readonly JsonRecord[]
  /** `Always` makes an init container a native sidecar. */
  readonly restartPolicy?: string
}

/** What a test says about a pod. */
export interface PodSpec {
  readonly name?: string
  /** Takes the place of the name, as for pods of a controller. */
  readonly generateName?: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** The owner that controls the pod. */
  readonly owner?: {
    readonly kind: string
    readonly name: string
    readonly apiVersion?: string
    readonly uid?: string
  }
  readonly containers?: readonly ContainerSpec[]
  readonly initContainers?: readonly ContainerSpec[]
  readonly nodeSelector?: Readonly<Record<string, string>>
  /** Terms of required node affinity; `affinity` takes their place. */
  readonly nodeTerms?: readonly JsonRecord[]
  readonly affinity?: JsonRecord
  readonly tolerations?: readonly JsonRecord[]
  readonly nodeName?: string
  readonly schedulerName?: string
  readonly runtimeClassName?: string
  readonly resourceClaims?: readonly JsonRecord[]
  readonly schedulingGates?: readonly string[]
  /** Any other field of `spec`. */
  readonly spec?: JsonRecord
}

/** A Pod as the API server sends it; by default one container `main` that asks for one whole GPU. */
export function aPod(pod: PodSpec = {}): JsonRecord {
  return asJson({ apiVersion: 'v1', kind: 'Pod', metadata: metadataOf(pod), spec: specOf(pod) })
}

function metadataOf(pod: PodSpec): JsonRecord {
  const { generateName, labels, annotations, owner } = pod
  return {
    name: pod.name ?? (generateName === undefined ? 'app-0' : undefined),
    generateName,
    namespace: pod.namespace ?? 'team-a',
    labels,
    annotations,
    ownerReferences: owner && [{ apiVersion: 'v1', uid: 'uid-1', controller: true, ...owner }]
  }
}

function specOf(pod: PodSpec): JsonRecord {
  const { nodeSelector, tolerations, nodeName, runtimeClassName, resourceClaims } = pod
  return {
    initContainers: pod.initContainers?.map((spec, index) => aContainer({ name: `init-${index}`, ...spec })),
    containers: (pod.containers ?? [{}]).map(aContainer),
    affinity: pod.affinity ?? (pod.nodeTerms && requiredTerms(pod.nodeTerms)),
    schedulerName: pod.schedulerName ?? 'default-scheduler',
    schedulingGates: pod.schedulingGates?.map((name) => ({ name })),
    nodeSelector,
    tolerations,
    nodeName,
    runtimeClassName,
    resourceClaims,
    ...pod.spec
  }
}

function requiredTerms(nodeSelectorTerms: readonly JsonRecord[]): JsonRecord {
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
}

function aContainer(spec: ContainerSpec): JsonRecord {
  const limits = spec.limits ?? { 'nvidia.com/gpu': '1' }
  const requests = 'requests' in spec ? spec.requests : limits
  return {
    name: spec.name ?? 'main',
    image: spec.image ?? 'registry.example/app:1',
    command: spec.command,
    args: spec.args,
    env: spec.env && Object.entries(spec.env).map(([name, value]) => ({ name, value })),
    resources: { limits, requests, claims: spec.claims },
    restartPolicy: spec.restartPolicy
  }
}

/** The object as JSON holds it: fields that are undefined are not there. */
function asJson(object: JsonRecord): JsonRecord {
  return JSON.parse(JSON.stringify(object))
}
