import { readFileSync } from 'node:fs'
import { fieldAt, type JsonRecord } from '../../src/core/json.ts'
import { judgeIsolation } from '../../src/core/rules/verdict.ts'
import { ClusterState } from '../../src/gather/cluster-state.ts'
import { gatherIsolationInput } from '../../src/gather/isolation-input.ts'
import { storesOf } from '../../src/gather/snapshot.ts'
import { fleet } from './fleet.ts'
import { type Figure, quantile } from './report.ts'

const CALLS = 20_000
const LONG_CALLS = 20

const settings = { systemNamespaces: ['kube-system'], schedulers: ['default-scheduler'] }
const gpu = { resources: { limits: { 'nvidia.com/gpu': '1' } } }

/** Time from a parsed pod to its verdict: for a sizable pod, and for pods that are as long as an attacker makes them. */
export function benchIsolation(): readonly Figure[] {
  const state = new ClusterState(storesOf(fleet(1000)), (task) => task())
  const review: unknown = JSON.parse(readFileSync(new URL('review.json', import.meta.url), 'utf8'))
  const namespace = String(fieldAt(review, 'request', 'namespace'))
  const times = (object: unknown, calls: number): readonly number[] => {
    const arrival = { operation: 'CREATE', subResource: '', namespace, object, nowMs: 0 }
    const once = (): void => void judgeIsolation(gatherIsolationInput(arrival, state, settings))
    for (let call = 0; call < calls / 4; call += 1) once()
    return Array.from({ length: calls }, () => {
      const startMs = performance.now()
      once()
      return performance.now() - startMs
    })
  }
  const usual = times(fieldAt(review, 'request', 'object'), CALLS)
  return [
    { name: 'isolation p50', value: quantile(usual, 0.5), unit: 'ms' },
    { name: 'isolation p99', value: quantile(usual, 0.99), unit: 'ms', comparison: '<=', goal: 0.1 },
    longest('isolation, 10,000 variables', times(manyVariables(), LONG_CALLS)),
    longest('isolation, 1,000 containers', times(manyContainers(), LONG_CALLS))
  ]
}

function longest(name: string, samples: readonly number[]): Figure {
  return { name, value: Math.max(...samples), unit: 'ms', comparison: '<=', goal: 100 }
}

function manyVariables(): JsonRecord {
  const env = Array.from({ length: 10_000 }, (_, index) => ({
    name: `V${index}`,
    value: `$(V${index - 1})$(V${index - 1})x`
  }))
  return { spec: { containers: [{ name: 'main', env, ...gpu }] } }
}

function manyContainers(): JsonRecord {
  const env = [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }]
  return {
    spec: { containers: Array.from({ length: 1000 }, (_, index) => ({ name: `c${index}`, env, ...gpu })) }
  }
}
