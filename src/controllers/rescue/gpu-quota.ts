import { WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import { gpuTotalOf } from '../../core/pod/gpu-total.ts'
import { requestsKey } from '../../core/quota/quota-key.ts'
import type { ResourceQuota } from '../../core/quota/resource-quota.ts'
import { roomsFor } from '../../core/quota/room.ts'
import type { PodRecord } from '../../gather/pod-record.ts'

const KEY = requestsKey(WHOLE_GPU)

/** What quotas leave of whole GPUs, namespace by namespace, given out one pod at a time. */
export class GpuQuota {
  readonly #quotas: ReadonlyMap<string, readonly ResourceQuota[]>
  readonly #taken = new Map<string, number>()

  constructor(quotas: readonly ResourceQuota[]) {
    this.#quotas = Map.groupBy(quotas, ({ namespace }) => namespace)
  }

  /** Whether a pod that takes the place of this one may ask for so many; what this one asks for by that name it gives back. */
  allows(pod: PodRecord, needed: number): boolean {
    return addedBy(pod, needed) <= this.#left(pod)
  }

  /** Takes them. */
  take(pod: PodRecord, needed: number): void {
    const before = this.#taken.get(pod.namespace) ?? 0
    this.#taken.set(pod.namespace, before + Math.max(0, addedBy(pod, needed)))
  }

  #left({ namespace, view }: PodRecord): number {
    const limits = {
      quotas: this.#quotas.get(namespace) ?? [],
      limitRanges: [],
      inFlight: { [KEY]: this.#taken.get(namespace) ?? 0 }
    }
    const [least] = roomsFor(KEY, limits, view.scopeTraits)
    return least?.left ?? Number.POSITIVE_INFINITY
  }
}

function addedBy({ view }: PodRecord, needed: number): number {
  return needed - (gpuTotalOf(view.containers)[WHOLE_GPU] ?? 0)
}
