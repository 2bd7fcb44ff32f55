import { compareText } from '../../core/compare-text.ts'
import { fieldOf, isRecord, type JsonRecord, stringOf } from '../../core/json.ts'
import { type PodView, readPod } from '../../core/pod/pod-view.ts'
import {
  type OwnerLookup,
  topOwner,
  type WorkloadRef,
  workloadKey,
  workloadOf
} from '../../core/pod/workload.ts'
import { ClusterState, type ClusterStores } from '../cluster-state.ts'
import { type GpuPod, gpuPodReader } from '../gpu-pod.ts'
import { ownerLookup } from '../owner-mark.ts'
import { type Snapshot, storesOf } from '../snapshot.ts'
import { staticStore } from '../static-store.ts'

/** A living pod with GPUs, as explanations look at it. */
export interface ScenePod {
  readonly raw: JsonRecord
  readonly view: PodView
  readonly taken: GpuPod
  readonly workload: WorkloadRef
  /** The object that a person looks at: `Deployment`, `RayCluster`; a bare pod is its own. */
  readonly owner: { readonly kind: string; readonly name: string }
  readonly createdMs: number
  /** Whether all of the pod is known: a snapshot leaves out environment and volumes, which isolation rules look at. */
  readonly isWhole: boolean
}

/** A cluster at one moment. */
export interface Scene {
  readonly stores: ClusterStores
  /** Living pods with GPUs, by namespace and name. */
  readonly pods: readonly ScenePod[]
  /** What is known of the cluster, with these pods. */
  readonly state: ClusterState
}

/**
 * The scene of a snapshot.
 * @param whole pods of the cluster as they are, in place of those of the snapshot where they are known
 * @throws AppError FILE_INVALID
 */
export function sceneOf(snapshot: Snapshot, whole: readonly unknown[] = []): Scene {
  const stores = storesOf(snapshot)
  const lookup = ownerLookup(stores)
  const wholeByKey = new Map(whole.map((raw) => [keyOf(raw), raw]))
  const read = gpuPodReader()
  const found = snapshot.pods.flatMap((slim): ScenePod | readonly [] => {
    const full = wholeByKey.get(keyOf(slim))
    return scenePod(full ?? slim, { read, lookup, isWhole: full !== undefined }) ?? []
  })
  const key = ({ view: { namespace, name } }: ScenePod): string => `${namespace}/${name}`
  const pods = found.toSorted((a, b) => compareText(key(a), key(b)))
  return sceneWith(stores, pods)
}

function sceneWith(stores: ClusterStores, pods: readonly ScenePod[]): Scene {
  const taken = staticStore(
    pods.map((pod) => pod.taken),
    ({ namespace, name }) => ({ namespace, name })
  )
  return { stores, pods, state: new ClusterState(stores, (task) => task(), taken) }
}

/** The scene once a pod is gone. */
export function sceneWithout({ stores, pods }: Scene, pod: ScenePod): Scene {
  return sceneWith(
    stores,
    pods.filter((other) => other !== pod)
  )
}

function keyOf(raw: unknown): string {
  const metadata = fieldOf(raw, 'metadata')
  return `${stringOf(metadata, 'namespace') ?? ''}/${stringOf(metadata, 'name') ?? ''}`
}

function scenePod(
  raw: unknown,
  {
    read,
    lookup,
    isWhole
  }: {
    readonly read: ReturnType<typeof gpuPodReader>
    readonly lookup: OwnerLookup
    readonly isWhole: boolean
  }
): ScenePod | undefined {
  const taken = read(raw)
  if (taken === undefined || !isRecord(raw)) return undefined
  const view = readPod(raw, taken.namespace)
  const workload = workloadOf(view, lookup)
  const owner = topOwner(view, lookup) ?? { kind: 'Pod', name: view.name }
  const createdMs = Date.parse(stringOf(fieldOf(raw, 'metadata'), 'creationTimestamp') ?? '')
  return { raw, view, taken, workload, owner, createdMs: Number.isNaN(createdMs) ? 0 : createdMs, isWhole }
}

/** Pods of one workload, the youngest first. */
export function podsOf({ pods }: Scene, namespace: string, workload: WorkloadRef): readonly ScenePod[] {
  const own = pods.filter(
    (pod) => pod.view.namespace === namespace && workloadKey(pod.workload) === workloadKey(workload)
  )
  return own.toSorted((a, b) => b.createdMs - a.createdMs || compareText(a.view.name, b.view.name))
}
