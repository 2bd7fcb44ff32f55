import { decide } from '../../src/core/decision/decide.ts'
import { fieldAt } from '../../src/core/json.ts'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { ClusterState } from '../../src/gather/cluster-state.ts'
import { gatherDecisionInput } from '../../src/gather/decision-input.ts'
import type { GpuPod } from '../../src/gather/gpu-pod.ts'
import { storesOf } from '../../src/gather/snapshot.ts'
import type { ObjectChange } from '../../src/ports/object-store.ts'
import { aGpuPod } from '../build/gpu-pod.ts'
import { MemoryStore } from '../fakes/memory-store.ts'
import { fleet, nodeName } from './fleet.ts'
import { type Figure, quantile } from './report.ts'
import { sizableReview } from './reviews.ts'

const nodeCounts = [10, 100, 1000, 5000] as const
const ROUNDS = 20
const CALLS_PER_ROUND = 500
const WARM_UP = 3000

const settings = { systemNamespaces: ['kube-system'], schedulers: ['default-scheduler'] }

interface Subject {
  readonly nodeCount: number
  readonly decideOnce: () => void
  readonly decideMs: number[]
  readonly wholeMs: number[]
  readonly wholeOnce: () => void
  /** The counts take up that one pod with a GPU is bound to a node, and goes again. */
  readonly changeOnce: () => void
  readonly changeMs: number[]
}

/** Times of `decide()` alone, and of the whole way from the parsed pod to the patch, at several sizes of the cluster. */
export function benchDecide(): readonly Figure[] {
  const object = fieldAt(JSON.parse(sizableReview()), 'request', 'object')
  const subjects = nodeCounts.map((nodeCount) => subject(nodeCount, object))
  for (const { decideOnce, wholeOnce } of subjects) {
    for (let call = 0; call < WARM_UP; call += 1) {
      decideOnce()
      wholeOnce()
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { decideOnce, decideMs, wholeOnce, wholeMs, changeOnce, changeMs } of subjects) {
      time(decideOnce, decideMs)
      time(wholeOnce, wholeMs)
      time(changeOnce, changeMs)
    }
  }
  return [
    ...subjects.flatMap(figuresOf),
    { ...growth('decide', subjects, ({ decideMs }) => decideMs), comparison: '<=', goal: 1.2 },
    // A constant number of look-ups, in maps that fill the caches of the processor less and less.
    growth('counts of a pod that comes and goes', subjects, ({ changeMs }) => changeMs)
  ]
}

function subject(nodeCount: number, object: unknown): Subject {
  const pods = podsOf(nodeCount)
  const state = new ClusterState(storesOf(fleet(nodeCount)), (task) => task(), pods)
  const arrival = { operation: 'CREATE', subResource: '', namespace: 'bench', object, nowMs: 0 }
  const input = gatherDecisionInput(arrival, state, settings)
  const decision = decide(input)
  if (decision.kind !== 'rewrite')
    throw new Error(`the benchmark's pod is kept: ${decision.reason}, ${decision.sentence}`)
  return {
    nodeCount,
    changeOnce: changeOf(pods),
    changeMs: [],
    decideOnce: () => decide(input),
    wholeOnce: () => toJsonPatch(object, decide(gatherDecisionInput(arrival, state, settings))),
    decideMs: [],
    wholeMs: []
  }
}

function time(once: () => void, samples: number[]): void {
  for (let call = 0; call < CALLS_PER_ROUND; call += 1) {
    const startMs = performance.now()
    once()
    samples.push(performance.now() - startMs)
  }
}

/** Ten pods a node, 50,000 on 5,000: half of them on whole GPUs, half on slices. */
function podsOf(nodeCount: number): ToldStore {
  const pods = new ToldStore()
  for (let number = 0; number < nodeCount * 10; number += 1) {
    const name = `pod-${number}`
    const resource = number % 2 === 0 ? 'nvidia.com/gpu' : 'nvidia.com/mig-1g.10gb'
    const requests = { [resource]: number % 20 === 0 ? 1 : 0 }
    pods.set(
      'bench',
      name,
      aGpuPod({ namespace: 'bench', name, node: nodeName(number % nodeCount), requests })
    )
  }
  return pods
}

/** Tells whoever counts pods of a change, so that the counts alone are measured and not the store. */
class ToldStore extends MemoryStore<GpuPod> {
  #listener: ((changes: readonly ObjectChange<GpuPod>[]) => void)[] = []

  override onChange(listener: (changes: readonly ObjectChange<GpuPod>[]) => void): () => void {
    this.#listener.push(listener)
    return () => undefined
  }

  tell(change: ObjectChange<GpuPod>): void {
    for (const listener of this.#listener) listener([change])
  }
}

function changeOf(pods: ToldStore): () => void {
  const pod = aGpuPod({ namespace: 'bench', name: 'comes', node: nodeName(3) })
  return () => {
    pods.tell({ before: undefined, after: pod })
    pods.tell({ before: pod, after: undefined })
  }
}

function figuresOf({ nodeCount, decideMs, wholeMs, changeMs }: Subject): readonly Figure[] {
  return [
    { name: `decide p50, ${nodeCount} nodes`, value: quantile(decideMs, 0.5), unit: 'ms' },
    {
      name: `decide p99, ${nodeCount} nodes`,
      value: quantile(decideMs, 0.99),
      unit: 'ms',
      comparison: '<=',
      goal: 0.3
    },
    {
      name: `counts of a pod that comes and goes p50, ${nodeCount} nodes`,
      value: quantile(changeMs, 0.5),
      unit: 'ms'
    },
    { name: `pod to patch p50, ${nodeCount} nodes`, value: quantile(wholeMs, 0.5), unit: 'ms' },
    { name: `pod to patch p99, ${nodeCount} nodes`, value: quantile(wholeMs, 0.99), unit: 'ms' }
  ]
}

function growth(
  what: string,
  subjects: readonly Subject[],
  samplesOf: (subject: Subject) => readonly number[]
): Figure {
  const p50 = (count: number): number =>
    quantile(subjects.filter(({ nodeCount }) => nodeCount === count).flatMap(samplesOf), 0.5)
  return {
    name: `${what} p50, 5000 nodes and 50,000 pods over 100 nodes and 1,000 pods`,
    value: p50(5000) / p50(100),
    unit: 'x'
  }
}
