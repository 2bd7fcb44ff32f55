import t from 'tap'
import { fieldAt } from '../../../src/core/json.ts'
import { aMigNode } from '../../build/node.ts'
import { aRawPolicy } from '../../build/policy.ts'
import { aSeries, Rig } from '../rig.ts'

/** Three workloads with 5200 MiB each, every one with a pod on `node-1`. */
function setUp(): Rig {
  const rig = new Rig()
  const names = ['one', 'two', 'three']
  for (const name of names) {
    const labels = { 'pod-template-hash': '6c9d7f8b5d' }
    const owner = { kind: 'ReplicaSet', name: `${name}-6c9d7f8b5d`, apiVersion: 'apps/v1', uid: name }
    rig.addPod({ name: `${name}-6c9d7f8b5d-x2k4p`, labels, owner })
  }
  const series = names.map((name) => aSeries({ pod: `${name}-6c9d7f8b5d-x2k4p`, gpuUuid: `GPU-${name}` }))
  rig.reading = { series }
  return rig
}

const freeable = (rig: Rig, policy = 'standard'): unknown =>
  fieldAt(rig.policy(policy), 'status', 'freeableGpus')

t.test('three small pods on three cards fit on one, which frees two', async (t) => {
  const rig = setUp()

  await rig.refresh()

  t.equal(freeable(rig), 2)
})

t.test('what keeps its GPU frees none, and neither do nodes of another policy', async (t) => {
  const rig = setUp()
  rig.addPolicy(aRawPolicy({ name: 'z-elsewhere', nodeSelector: { pool: 'other' } }))
  rig.addNode(aMigNode({ name: 'node-2', labels: { pool: 'other' } }))
  rig.addPod({
    name: 'three-6c9d7f8b5d-x2k4p',
    owner: { kind: 'ReplicaSet', name: 'three-6c9d7f8b5d', apiVersion: 'apps/v1', uid: 'three' },
    spec: { hostPID: true }
  })

  await rig.refresh()

  t.equal(freeable(rig), 1)
  t.equal(freeable(rig, 'z-elsewhere'), 0)
})

t.test('an invalid policy frees nothing', async (t) => {
  const rig = setUp()
  rig.addPolicy(aRawPolicy({ mig: { headroom: 'much' } }))

  await rig.refresh()

  t.equal(freeable(rig), 0)
})
