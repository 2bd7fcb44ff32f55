import { type WorkloadRef, workloadKey } from '../../pod/workload.ts'
import type { KnownPod } from './known.ts'
import { templateOfName } from './name-patterns.ts'

/** A container of a pod that is gone. */
interface GoneContainer {
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly pod: string
  readonly container: string
}

/**
 * Images of pods that are gone, told by pods of the same template that are known: those of one ReplicaSet or Job run the same.
 * @returns a look-up that gives '' where nothing tells the image
 */
export function indexImages(pods: readonly KnownPod[]): (gone: GoneContainer) => string {
  const images = new Map<string, string>()
  for (const { namespace, name, workload, containers } of pods) {
    for (const { name: container, image } of containers) {
      const key = keyOf({ namespace, workload, pod: name, container })
      if (key === undefined) continue
      const known = images.get(key)
      images.set(key, known === undefined || known === image ? image : '')
    }
  }
  return (gone) => {
    const key = keyOf(gone)
    return key === undefined ? '' : (images.get(key) ?? '')
  }
}

function keyOf({ namespace, workload, pod, container }: GoneContainer): string | undefined {
  const template = templateOfName(pod, workload)
  return template === undefined
    ? undefined
    : [namespace, workloadKey(workload), template, container].join('\u0000')
}
