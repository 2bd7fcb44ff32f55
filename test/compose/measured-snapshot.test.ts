import t from 'tap'
import { measureSnapshot, podsOfSnapshot } from '../../src/compose/measured-snapshot.ts'
import { fieldAt, fieldOf, listOf, stringOf } from '../../src/core/json.ts'
import type { Snapshot } from '../../src/gather/snapshot.ts'
import type { UsageReading } from '../../src/ports/usage-source.ts'
import { aWholeNode } from '../build/node.ts'
import { aRawPolicy } from '../build/policy.ts'
import { aLivePod, aReading, aSeries, DAY_MS, NOON_MS, unreachable } from '../controllers/rig.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { MemoryLog } from '../fakes/memory-log.ts'

const cluster: Snapshot = {
  apiVersion: 'cli.rightslice.dev/v1alpha1',
  kind: 'Snapshot',
  nodes: [aWholeNode()],
  namespaces: [{ metadata: { name: 'team-a' } }],
  policies: [aRawPolicy()],
  workloads: [],
  owners: [],
  pods: [aLivePod()],
  exemptions: [],
  quotas: [],
  limitRanges: []
}

const known = {
  apiVersion: 'rightslice.dev/v1alpha1',
  kind: 'GpuWorkload',
  metadata: { name: 'deployment-app', namespace: 'team-a', generation: 1 },
  spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app' } },
  status: { containers: [{ name: 'main', peakMemory: '9000Mi', history: { coverage: '14d' } }] }
}

function measure(snapshot: Snapshot, reading: Partial<UsageReading> = {}) {
  return measureSnapshot({
    snapshot,
    pods: podsOfSnapshot(snapshot),
    source: {
      read: ({ nowMs }) => Promise.resolve(aReading({ nowMs, ...reading })),
      close: () => Promise.resolve()
    },
    settings: { systemNamespaces: ['kube-*'], schedulers: ['default-scheduler'] },
    clock: new FakeClock(NOON_MS),
    log: new MemoryLog(),
    signal: new AbortController().signal
  })
}

/** Peak and need by GpuWorkload. */
function peaksOf({ workloads }: Snapshot): readonly unknown[] {
  return workloads.map((workload) => {
    const [container] = listOf(fieldOf(workload, 'status'), 'containers')
    return [
      fieldAt(workload, 'metadata', 'namespace'),
      fieldAt(workload, 'spec', 'workloadRef', 'name'),
      stringOf(container, 'peakMemory'),
      stringOf(container, 'needed')
    ]
  })
}

t.test(
  'the GpuWorkloads that the controller would write are in the copy, and nothing else is new',
  async (t) => {
    const { snapshot, reading } = await measure(cluster)

    t.strictSame(peaksOf(snapshot), [['team-a', 'app', '5200Mi', '6240Mi']])
    t.equal(reading?.status, 'complete')
    t.strictSame({ ...snapshot, workloads: [] }, cluster)
    t.strictSame(cluster.workloads, [])
  }
)

t.test(
  'what was known gives way to what is measured, and stays where the reading is not whole',
  async (t) => {
    const before = { ...cluster, workloads: [known] }

    const whole = await measure(before)
    const failed = await measure(before, { status: 'failed', series: [], faults: [unreachable] })

    t.strictSame(peaksOf(whole.snapshot), [['team-a', 'app', '5200Mi', '6240Mi']])
    t.strictSame(peaksOf(failed.snapshot), [['team-a', 'app', '9000Mi', undefined]])
    t.equal(failed.reading?.status, 'failed')
  }
)

t.test('nothing new comes of half a reading', async (t) => {
  const { snapshot } = await measure(cluster, { status: 'partial', faults: [unreachable] })

  t.strictSame(snapshot.workloads, [])
})

t.test('pods of an old file, which holds no times, count as there all along', async (t) => {
  const withoutTimes = (spec: Parameters<typeof aLivePod>[0]) => {
    const pod = aLivePod({ ...spec, status: { startTime: undefined } })
    return { ...pod, metadata: { ...Object(pod['metadata']), creationTimestamp: undefined } }
  }
  const old = [withoutTimes({ name: 'placed' }), withoutTimes({ name: 'waiting', nodeName: '' }), {}]
  const notStarted = aLivePod({ name: 'not-started', status: { startTime: undefined } })

  const pods = podsOfSnapshot({ ...cluster, pods: [...old, notStarted, aLivePod({ name: 'started' })] })

  t.strictSame(
    pods.map(({ name, startedMs }) => [name, startedMs]),
    [
      ['placed', 0],
      ['waiting', undefined],
      ['not-started', undefined],
      ['started', NOON_MS - 15 * DAY_MS]
    ]
  )
})

t.test('more workloads than one round writes are all measured', async (t) => {
  const count = 2_100
  const names = Array.from({ length: count }, (_, index) => `app${index}-6c9d7f8b5d-x2k4p`)
  const pods = names.map((name, index) =>
    aLivePod({
      name,
      owner: { kind: 'ReplicaSet', name: `app${index}-6c9d7f8b5d`, apiVersion: 'apps/v1', uid: `rs-${index}` }
    })
  )
  const series = names.map((pod, index) => aSeries({ pod, gpuUuid: `GPU-${index}`, daysMiB: [5200, 5200] }))

  const { snapshot } = await measure({ ...cluster, pods }, { series })

  t.equal(snapshot.workloads.length, count)
})
