import { sliceLabel } from '../../core/api/names.ts'
import type { NodeView } from '../../core/cluster/node-view.ts'
import { claimedOriginals } from '../../core/decision/own-output.ts'
import { WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import { gpuTotalOf } from '../../core/pod/gpu-total.ts'
import type { PodView } from '../../core/pod/pod-view.ts'
import type { ResourceQuota } from '../../core/quota/resource-quota.ts'
import { type NodeIndex, reachableClasses } from '../../core/sharing/node-index.ts'
import { wholeGpusOn } from '../../core/sharing/whole-gpus.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import { GpuQuota } from './gpu-quota.ts'

/** What whole GPUs are counted from. */
export interface WholeGpuFacts {
  readonly index: NodeIndex
  readonly pods: readonly PodRecord[]
  readonly quotas: readonly ResourceQuota[]
}

/** Whole GPUs that are free now and that quotas leave, node by node, given out one pod at a time. */
export class WholeGpus {
  readonly #index: NodeIndex
  readonly #quota: GpuQuota
  readonly #free: Map<string, number>

  constructor({ index, pods, quotas }: WholeGpuFacts) {
    this.#index = index
    this.#quota = new GpuQuota(quotas)
    const nodes = index.classes.flatMap((nodeClass) => nodeClass.nodes)
    this.#free = new Map(nodes.map((node) => [node.name, wholeGpusOn(node)]))
    const live = pods.filter(({ endedMs }) => endedMs === undefined)
    for (const { node, view } of live) this.#takeOn(node, wholeGpusOf(view))
    // whoever waits for whole GPUs comes before those that would have to be made anew
    for (const { node, view } of live)
      if (node === '' && view.labels[sliceLabel] === undefined) this.#place(view)
  }

  /** Takes the GPUs that the pod would have asked for without us; false when no node that it can reach has them free, or a quota forbids it. */
  take(pod: PodRecord): boolean {
    return claimedOriginals(pod.view).some((original) => {
      const needed = wholeGpusOf(original)
      if (needed === 0 || !this.#quota.allows(pod, needed) || !this.#place(original)) return false
      this.#quota.take(pod, needed)
      return true
    })
  }

  #place(view: PodView): boolean {
    const needed = wholeGpusOf(view)
    if (needed === 0) return true
    const nodes = reachableClasses(this.#index, view).flatMap((nodeClass) => nodeClass.nodes)
    const node = nodes.find(({ name }) => this.#freeOn(name) >= needed)
    if (node !== undefined) this.#takeOn(node.name, needed)
    return node !== undefined
  }

  #takeOn(node: NodeView['name'], count: number): void {
    if (this.#free.has(node)) this.#free.set(node, this.#freeOn(node) - count)
  }

  #freeOn(node: NodeView['name']): number {
    return this.#free.get(node) ?? 0
  }
}

function wholeGpusOf({ containers }: Pick<PodView, 'containers'>): number {
  return gpuTotalOf(containers)[WHOLE_GPU] ?? 0
}
