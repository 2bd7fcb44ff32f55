import type { NodeView } from '../../core/cluster/node-view.ts'
import { claimedOriginals } from '../../core/decision/own-output.ts'
import { WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import { gpuTotalOf } from '../../core/pod/gpu-total.ts'
import { type NodeIndex, reachableClasses } from '../../core/sharing/node-index.ts'
import { hasWholeGpus } from '../../core/sharing/whole-gpus.ts'
import type { PodRecord } from '../../gather/pod-record.ts'

/** Whole GPUs that are free now, node by node, given out one pod at a time. */
export class WholeGpus {
  readonly #index: NodeIndex
  readonly #free: Map<string, number>

  constructor(index: NodeIndex, pods: readonly PodRecord[]) {
    this.#index = index
    this.#free = new Map(
      index.classes.flatMap(({ nodes }) =>
        nodes
          .filter(hasWholeGpus)
          .map(({ name, allocatable }) => [name, allocatable[WHOLE_GPU] ?? 0] as const)
      )
    )
    for (const { node, endedMs, view } of pods) {
      const free = this.#free.get(node)
      if (free === undefined || endedMs !== undefined) continue
      this.#free.set(node, free - (gpuTotalOf(view.containers)[WHOLE_GPU] ?? 0))
    }
  }

  /** Takes the GPUs that the pod would have asked for without us; false when no node that it can reach has them free. */
  take({ view }: PodRecord): boolean {
    return claimedOriginals(view).some((original) => {
      const needed = gpuTotalOf(original.containers)[WHOLE_GPU] ?? 0
      if (needed === 0) return false
      const node = this.#nodeFor(
        reachableClasses(this.#index, original).flatMap(({ nodes }) => nodes),
        needed
      )
      if (node === undefined) return false
      this.#free.set(node, (this.#free.get(node) ?? 0) - needed)
      return true
    })
  }

  #nodeFor(nodes: readonly NodeView[], needed: number): string | undefined {
    return nodes.find(({ name }) => (this.#free.get(name) ?? 0) >= needed)?.name
  }
}
