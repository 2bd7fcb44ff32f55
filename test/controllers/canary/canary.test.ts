import t from 'tap'
import { Canary } from '../../../src/controllers/canary/canary.ts'
import { fieldAt } from '../../../src/core/json.ts'
import { aRawPolicy } from '../../build/policy.ts'
import { MemoryEvents } from '../../fakes/memory-events.ts'
import { NOON_MS, Rig } from '../rig.ts'

const never = new AbortController().signal
const object = { kind: 'GpuWorkload', namespace: 'team-a', name: 'deployment-app' } as const

function aCanary(policy: object) {
  const rig = new Rig()
  const sink = new MemoryEvents()
  rig.addPolicy(aRawPolicy({ ...policy }))
  rig.writer.put(object, {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuWorkload',
    metadata: { namespace: 'team-a', name: object.name },
    spec: { workloadRef: { kind: 'Deployment', name: 'app' } }
  })
  rig.addPod({
    labels: { 'pod-template-hash': '6c9d7f8b5d', 'rightslice.dev/slice': 'mig-1g.10gb' },
    annotations: { 'rightslice.dev/decision': 'FitsMigProfile' },
    containers: [{ limits: { 'nvidia.com/mig-1g.10gb': '1' } }],
    ageMs: 60_000,
    status: {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date(NOON_MS).toISOString() }]
    }
  })
  const { stores, writer, clock, log, metrics } = rig
  const canary = new Canary({ stores, writer, clock, log, metrics, sink })
  return {
    rig,
    sink,
    canary,
    state: (): unknown => fieldAt(writer.read(object), 'status', 'canary', 'state')
  }
}

t.test('a share is on trial, passes after its time, and its owner is told once', async (t) => {
  const { rig, sink, canary, state } = aCanary({ canary: { pods: 1, healthyFor: '2h' } })

  await canary.look(never)
  t.strictSame([state(), sink.told.length], ['Trial', 0])
  const writes = rig.writer.calls.length
  await canary.look(never)
  t.equal(rig.writer.calls.length, writes, 'nothing is written twice')
  rig.clock.advance(2 * 3_600_000)
  await canary.look(never)
  await canary.look(never)

  t.equal(state(), 'Passed')
  t.match(sink.told, [
    { reason: 'CanaryPassed', message: 'mig-1g.10gb was tried and stayed healthy; new pods get it' }
  ])
})

t.test('without a canary in the policy nothing is said', async (t) => {
  const { canary, state } = aCanary({})

  await canary.look(never)

  t.equal(state(), undefined)
})
