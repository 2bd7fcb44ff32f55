import { createHash } from 'node:crypto'
import t from 'tap'
import { decide } from '../../src/core/decision/decide.ts'
import { dc1 } from '../../src/demo/dc1.ts'
import { dc1Pods } from '../../src/demo/dc1-pods.ts'
import { anonymize } from '../../src/gather/anonymize.ts'
import { ClusterState } from '../../src/gather/cluster-state.ts'
import { gatherDecisionInput } from '../../src/gather/decision-input.ts'
import { type Snapshot, storesOf } from '../../src/gather/snapshot.ts'

const hash = (text: string): string => `x${createHash('sha256').update(text).digest('hex').slice(0, 7)}`
const settings = { systemNamespaces: [], schedulers: ['default-scheduler'] }
const withPods: Snapshot = { ...dc1, pods: dc1Pods.map(({ object }) => object) }

function reasonsIn(snapshot: Snapshot): readonly string[] {
  const state = new ClusterState(storesOf(snapshot), (task) => task())
  return snapshot.pods.map((object) => {
    const { namespace } = Object(object).metadata
    const arrival = { operation: 'CREATE', subResource: '', namespace, object, nowMs: 0 }
    return decide(gatherDecisionInput(arrival, state, settings)).reason
  })
}

t.test('no name of the cluster is left, in any part of the snapshot', async (t) => {
  const text = JSON.stringify(anonymize(withPods, hash))

  for (const word of [
    'reranker',
    'search',
    'ml-dev',
    'gpu-a100-01',
    'dc1-sharing',
    'notebook',
    'registry.example',
    'example.com/desk',
    'load test'
  ]) {
    t.notOk(text.includes(word), word)
  }
  t.ok(text.includes('NVIDIA-A100-SXM4-40GB'), 'what a GPU is stays')
})

t.test('an anonymous cluster gives the same decisions', async (t) => {
  const selfSizingByFlag = reasonsIn(anonymize(withPods, hash))

  t.strictSame(selfSizingByFlag, reasonsIn(withPods))
})

t.test('the same name gives the same hash, and the snapshot that came in stays as it is', async (t) => {
  const before = JSON.stringify(withPods)

  t.strictSame(anonymize(withPods, hash), anonymize(withPods, hash))
  t.equal(JSON.stringify(withPods), before)
})
