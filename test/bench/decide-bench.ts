import { decide } from '../../src/core/decision/decide.ts'
import { fieldAt } from '../../src/core/json.ts'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { ClusterState } from '../../src/gather/cluster-state.ts'
import { gatherDecisionInput } from '../../src/gather/decision-input.ts'
import { storesOf } from '../../src/gather/snapshot.ts'
import { fleet } from './fleet.ts'
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
    for (const { decideOnce, decideMs, wholeOnce, wholeMs } of subjects) {
      time(decideOnce, decideMs)
      time(wholeOnce, wholeMs)
    }
  }
  return [...subjects.flatMap(figuresOf), growth(subjects)]
}

function subject(nodeCount: number, object: unknown): Subject {
  const state = new ClusterState(storesOf(fleet(nodeCount)), (task) => task())
  const arrival = { operation: 'CREATE', subResource: '', namespace: 'bench', object, nowMs: 0 }
  const input = gatherDecisionInput(arrival, state, settings)
  const decision = decide(input)
  if (decision.kind !== 'rewrite')
    throw new Error(`the benchmark's pod is kept: ${decision.reason}, ${decision.sentence}`)
  return {
    nodeCount,
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

function figuresOf({ nodeCount, decideMs, wholeMs }: Subject): readonly Figure[] {
  return [
    { name: `decide p50, ${nodeCount} nodes`, value: quantile(decideMs, 0.5), unit: 'ms' },
    {
      name: `decide p99, ${nodeCount} nodes`,
      value: quantile(decideMs, 0.99),
      unit: 'ms',
      comparison: '<=',
      goal: 0.3
    },
    { name: `pod to patch p50, ${nodeCount} nodes`, value: quantile(wholeMs, 0.5), unit: 'ms' },
    { name: `pod to patch p99, ${nodeCount} nodes`, value: quantile(wholeMs, 0.99), unit: 'ms' }
  ]
}

function growth(subjects: readonly Subject[]): Figure {
  const p50 = (count: number): number =>
    quantile(subjects.find(({ nodeCount }) => nodeCount === count)?.decideMs ?? [], 0.5)
  return {
    name: 'decide p50, 5000 nodes over 100 nodes',
    value: p50(5000) / p50(100),
    unit: 'x',
    comparison: '<=',
    goal: 1.2
  }
}
