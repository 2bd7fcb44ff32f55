import { fieldOf, isRecord, type JsonRecord, stringOf } from '../../core/json.ts'
import { type PodView, readPod } from '../../core/pod/pod-view.ts'
import { topOwner, type WorkloadRef, workloadKey, workloadOf } from '../../core/pod/workload.ts'
import { ClusterState, type ClusterStores } from '../cluster-state.ts'
import { type GpuPod, gpuPodReader } from '../gpu-pod.ts'
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
}

/**
 * The scene of a snapshot.
 * @param whole pods of the cluster as they are, in place of those of the snapshot where they are known
 * @throws AppError FILE_INVALID
 */
export function sceneOf(snapshot: Snapshot, whole: readonly unknown[] = []): Scene {
  const stores = storesOf(snapshot)
  const state = new ClusterState(stores, (task) => task())
  const wholeByKey = new Map(whole.map((raw) => [keyOf(raw), raw]))
  const read = gpuPodReader()
  const pods = snapshot.pods.flatMap((slim): readonly ScenePod[] => {
    const full = wholeByKey.get(keyOf(slim))
    return scenePod(full ?? slim, { read, state, isWhole: full !== undefined }) ?? []
  })
  state.close()
  const key = ({ view: { namespace, name } }: ScenePod): string => `${namespace}/${name}`
  return {
    stores,
    pods: pods.toSorted((a, b) => Number(key(a) > key(b)) - Number(key(a) < key(b)))
  }
}

function keyOf(raw: unknown): string {
  const metadata = fieldOf(raw, 'metadata')
  return `${stringOf(metadata, 'namespace') ?? ''}/${stringOf(metadata, 'name') ?? ''}`
}

function scenePod(
  raw: unknown,
  {
    read,
    state,
    isWhole
  }: {
    readonly read: ReturnType<typeof gpuPodReader>
    readonly state: ClusterState
    readonly isWhole: boolean
  }
): readonly ScenePod[] | undefined {
  const taken = read(raw)
  if (taken === undefined || !isRecord(raw)) return undefined
  const view = readPod(raw, taken.namespace)
  const lookup = state.controllerOf.bind(state)
  const workload = workloadOf(view, lookup)
  const owner = topOwner(view, lookup) ?? { kind: 'Pod', name: view.name }
  const createdMs = Date.parse(stringOf(fieldOf(raw, 'metadata'), 'creationTimestamp') ?? '')
  return [{ raw, view, taken, workload, owner, createdMs: Number.isNaN(createdMs) ? 0 : createdMs, isWhole }]
}

/** The state of a scene, with the pods that count as there. */
export function stateOf({ stores }: Scene, pods: readonly ScenePod[]): ClusterState {
  const store = staticStore(
    pods.map(({ taken }) => taken),
    ({ namespace, name }) => ({ namespace, name })
  )
  return new ClusterState(stores, (task) => task(), store)
}

/** Pods of one workload, the youngest first. */
export function podsOf({ pods }: Scene, namespace: string, workload: WorkloadRef): readonly ScenePod[] {
  const own = pods.filter(
    (pod) => pod.view.namespace === namespace && workloadKey(pod.workload) === workloadKey(workload)
  )
  return own.toSorted(
    (a, b) =>
      b.createdMs - a.createdMs || Number(a.view.name > b.view.name) - Number(a.view.name < b.view.name)
  )
}
