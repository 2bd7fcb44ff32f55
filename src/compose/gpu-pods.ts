import { type GpuPod, gpuPodReader, isSameGpuPod } from '../gather/gpu-pod.ts'
import type { ObjectStore } from '../ports/object-store.ts'
import { LONG_PAGE_SIZE, type MirrorMeans, mirror } from './cluster-reader.ts'

/** The pods that take GPUs. */
export interface GpuPods {
  readonly store: ObjectStore<GpuPod>
  readonly stop: () => Promise<void>
}

/**
 * Begins to mirror the pods of the cluster that live and take GPUs. Pods are many and their first list takes its time, so nobody
 * waits for it: before `store.state().synced` nothing is known of what is taken.
 */
export function readGpuPods(means: MirrorMeans): GpuPods {
  const store = mirror(means, {
    resource: {
      path: '/api/v1/pods',
      kind: 'Pod',
      fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed'
    },
    pageSize: LONG_PAGE_SIZE,
    project: gpuPodReader(),
    equal: isSameGpuPod
  })
  store.start()
  return { store, stop: () => store.stop() }
}
