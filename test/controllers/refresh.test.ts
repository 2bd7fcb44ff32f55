import t from 'tap'
import { AppError } from '../../src/core/errors.ts'
import { fieldAt, listOf } from '../../src/core/json.ts'
import { aRawPolicy } from '../build/policy.ts'
import { aSeries, DAY_MS, MODEL, NOON_MS, Rig, unreachable } from './rig.ts'

t.test('fourteen days of a low peak become a size that fits a slice', async (t) => {
  const rig = new Rig()
  rig.addPod()

  const written = await rig.refresh()

  t.strictSame(written, [
    'spec GpuWorkload team-a/deployment-app',
    'status GpuWorkload team-a/deployment-app',
    'status GpuPolicy /standard'
  ])
  t.strictSame(fieldAt(rig.workload(), 'spec'), {
    workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app' }
  })
  t.match(rig.workload(), {
    status: {
      policy: 'standard',
      decision: { reason: 'FitsMigProfile' },
      containers: [
        {
          name: 'main',
          image: 'registry.example/app:1',
          current: 'nvidia.com/gpu',
          requested: { 'nvidia.com/gpu': '1' },
          peakMemory: '5200Mi',
          evidence: 'Own',
          history: { coverage: '13d' },
          fits: { resource: 'nvidia.com/mig-1g.10gb', usable: '9728Mi' },
          sizing: [{ model: MODEL, heldMiB: 9728 }]
        }
      ]
    }
  })
  t.equal(rig.condition('Candidate'), 'True FitsMigProfile')
  t.equal(rig.condition('LowConfidence'), 'False EnoughHistory')
  t.equal(rig.condition('HistoryAvailable', rig.policy()), 'True Read')
  t.match(rig.policy(), { status: { admission: 'Enforce', matchedNodes: 1, candidates: 1 } })
})

t.test('what has not changed is not written again, also by a new process', async (t) => {
  const rig = new Rig()
  rig.addPod()
  await rig.refresh()

  rig.clock.advance(300_000)
  const second = await rig.refresh()
  rig.newProcess()
  const third = await rig.refresh()

  t.strictSame(second, [])
  t.strictSame(third, [])
})

t.test('of many workloads only the one that changed is written', async (t) => {
  const rig = new Rig()
  const names = Array.from({ length: 200 }, (_, index) => `w${String(index).padStart(3, '0')}`)
  const series = names.map((name) => aSeries({ pod: `${name}-6c9d7f8b5d-x2k4p`, gpuUuid: `GPU-${name}` }))
  for (const name of names) {
    rig.addPod({
      name: `${name}-6c9d7f8b5d-x2k4p`,
      owner: { kind: 'ReplicaSet', name: `${name}-6c9d7f8b5d`, uid: name }
    })
  }
  rig.reading = { series }
  const first = await rig.refresh()

  const moved = aSeries({
    pod: 'w123-6c9d7f8b5d-x2k4p',
    gpuUuid: 'GPU-w123',
    daysMiB: [...Array.from({ length: 13 }, () => 5200), 6000]
  })
  rig.reading = { series: series.map((one) => (one.labels.gpuUuid === 'GPU-w123' ? moved : one)) }
  const second = await rig.refresh()

  t.equal(first.length, 401)
  t.strictSame(second, ['status GpuWorkload team-a/deployment-w123'])
})

t.test('a peak that moves up asks for the next size at once', async (t) => {
  const rig = new Rig()
  rig.addPod()
  await rig.refresh()

  rig.reading = { series: [aSeries({ daysMiB: [...Array.from({ length: 13 }, () => 5200), 20_000] })] }
  await rig.refresh()

  t.match(rig.container(), { peakMemory: '20000Mi', fits: { resource: 'nvidia.com/mig-3g.40gb' } })
})

t.test('while the source fails nothing shrinks, the policy says so, and it recovers by itself', async (t) => {
  const rig = new Rig()
  rig.addPod()
  await rig.refresh()
  const before = rig.workload()

  rig.clock.advance(600_000)
  rig.reading = { status: 'failed', series: [], faults: [unreachable], newestSampleMs: undefined }
  const first = await rig.refresh()
  t.strictSame(first, ['status GpuPolicy /standard'])
  t.equal(rig.condition('HistoryAvailable', rig.policy()), 'False NotRead')
  t.strictSame(rig.workload(), before)

  rig.clock.advance(2 * 3_600_000)
  await rig.refresh()
  t.equal(rig.condition('LowConfidence'), 'True HistoryUnavailable')
  t.strictSame(rig.container(), listOf(fieldAt(before, 'status'), 'containers')[0])

  rig.clock.advance(300_000)
  rig.reading = {}
  await rig.refresh()
  t.equal(rig.condition('LowConfidence'), 'False EnoughHistory')
  t.equal(rig.condition('HistoryAvailable', rig.policy()), 'True Read')
})

t.test('a reading that is not whole may raise a peak and lower none', async (t) => {
  const rig = new Rig()
  rig.addPod()
  rig.reading = { series: [aSeries({ daysMiB: Array.from({ length: 14 }, () => 8000) })] }
  await rig.refresh()
  const held = rig.container()['sizing']

  rig.reading = { status: 'partial', series: [aSeries({ daysMiB: [100, 100] })], faults: [unreachable] }
  await rig.refresh()
  t.match(rig.container(), { peakMemory: '8000Mi', history: { coverage: '13d' } })
  t.strictSame(rig.container()['sizing'], held)
  t.notOk('obstacle' in rig.container())

  const raised = [aSeries({ daysMiB: [...Array.from({ length: 13 }, () => 100), 30_000] })]
  rig.reading = { status: 'partial', series: raised, faults: [unreachable] }
  await rig.refresh()
  t.match(rig.container(), { peakMemory: '30000Mi', fits: { resource: 'nvidia.com/mig-3g.40gb' } })
})

t.test('a reading that is not whole creates nothing', async (t) => {
  const rig = new Rig()
  rig.addPod()
  rig.reading = { status: 'partial', faults: [unreachable] }

  const written = await rig.refresh()

  t.strictSame(written, ['status GpuPolicy /standard'])
})

t.test('where the gaps are known by node, workloads on other nodes are read in full', async (t) => {
  const gaps = (node: string) => ({ status: 'partial', faults: [unreachable], missingNodes: [node] }) as const
  const here = new Rig()
  here.addPod()
  here.reading = gaps('node-1')
  const elsewhere = new Rig()
  elsewhere.addPod()
  elsewhere.reading = gaps('node-2')

  t.strictSame(await here.refresh(), ['status GpuPolicy /standard'])
  t.ok((await elsewhere.refresh()).some((write) => write.includes('GpuWorkload')))
})

t.test('a new process that misses one node takes no learnt headroom away', async (t) => {
  const rig = new Rig()
  const names = Array.from({ length: 60 }, (_, index) => `w${index}-6c9d7f8b5d`)
  for (const name of names) {
    rig.addPod({ name: `${name}-x2k4p`, owner: { kind: 'ReplicaSet', name, uid: name } })
  }
  const daysMiB = Array.from({ length: 14 }, (_, day) => 1000 + 150 * day)
  const series = names.map((name) => aSeries({ pod: `${name}-x2k4p`, gpuUuid: name, daysMiB }))
  rig.reading = { series }
  await rig.refresh()
  const { needed } = rig.container('deployment-w7')

  rig.newProcess()
  rig.reading = { series, status: 'partial', faults: [unreachable], missingNodes: ['node-2'] }
  await rig.refresh()

  t.equal(rig.container('deployment-w7')['needed'], needed)
})

t.test('where the gaps are known by namespace, workloads of others are read in full', async (t) => {
  const gaps = (namespace: string) =>
    ({
      status: 'partial',
      faults: [{ kind: 'series-limit', message: 'too many', count: 1 }],
      missingNodes: [],
      missingNamespaces: [namespace]
    }) as const
  const here = new Rig()
  here.addPod()
  here.reading = gaps('team-a')
  const elsewhere = new Rig()
  elsewhere.addPod()
  elsewhere.reading = gaps('team-b')

  t.strictSame(await here.refresh(), ['status GpuPolicy /standard'])
  t.ok((await elsewhere.refresh()).some((write) => write.includes('GpuWorkload')))
})

t.test('the metric of a status is the one that its own peak of compute came from', async (t) => {
  const rig = new Rig()
  const pods = { sm: 'app-6c9d7f8b5d-x2k4p', engine: 'other-6c9d7f8b5d-x2k4p' }
  rig.addPod({ name: pods.sm })
  const owner = { kind: 'ReplicaSet', name: 'other-6c9d7f8b5d', apiVersion: 'apps/v1', uid: 'rs-2' }
  rig.addPod({ name: pods.engine, owner })
  const memory = [aSeries({ pod: pods.sm }), aSeries({ pod: pods.engine, gpuUuid: 'GPU-2' })]
  const compute = memory.map((series, index) => ({
    ...series,
    metric: index === 0 ? ('sm-active' as const) : ('gr-engine-active' as const),
    metricName: index === 0 ? 'DCGM_FI_PROF_SM_ACTIVE' : 'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
    days: series.days.map((day) => ({ ...day, max: 0.4 }))
  }))
  const metricNames = ['DCGM_FI_PROF_GR_ENGINE_ACTIVE', 'DCGM_FI_PROF_SM_ACTIVE']
  rig.reading = { series: [...memory, ...compute], metricNames }

  await rig.refresh()

  t.match(rig.container('deployment-app'), { peakCompute: '40%', computeMetric: 'DCGM_FI_PROF_SM_ACTIVE' })
  t.match(rig.container('deployment-other'), { computeMetric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE' })
})

t.test('a source that answers and holds nothing takes no peak away', async (t) => {
  const rig = new Rig()
  rig.addPod()
  await rig.refresh()

  rig.reading = { series: [], newestSampleMs: undefined }
  await rig.refresh()

  t.match(rig.container(), { peakMemory: '5200Mi' })
  t.equal(rig.condition('HistoryAvailable', rig.policy()), 'False NoRecentSamples')
})

t.test('a workload without pods is remembered for a while and then removed', async (t) => {
  const rig = new Rig()
  rig.addPod()
  await rig.refresh()
  rig.stores.pods.remove('team-a', 'app-6c9d7f8b5d-x2k4p')
  const last = [aSeries()]

  rig.clock.advance(2 * DAY_MS)
  rig.reading = { series: last }
  const early = await rig.refresh()
  rig.clock.advance(3 * DAY_MS)
  rig.reading = { status: 'failed', series: last, faults: [unreachable] }
  const blind = await rig.refresh()
  rig.reading = { series: last }
  const late = await rig.refresh()

  t.notOk(early.some((call) => call.startsWith('remove')))
  t.notOk(
    blind.some((call) => call.startsWith('remove')),
    'never on a reading that is not whole'
  )
  t.ok(late.includes('remove GpuWorkload team-a/deployment-app'))
  t.equal(rig.workload(), undefined)
})

t.test('a second object about one workload is removed', async (t) => {
  const rig = new Rig()
  rig.addPod()
  await rig.refresh()
  const object = rig.workload()
  if (object === undefined) throw new Error('it was not written')
  rig.writer.put(
    { kind: 'GpuWorkload', namespace: 'team-a', name: 'zz' },
    { ...object, metadata: { namespace: 'team-a', name: 'zz' } }
  )

  t.strictSame(await rig.refresh(), ['remove GpuWorkload team-a/zz'])
})

t.test('system namespaces are left alone', async (t) => {
  const rig = new Rig()
  rig.addPod({ namespace: 'kube-system' })
  rig.reading = { series: [] }

  t.strictSame(await rig.refresh(), ['status GpuPolicy /standard'])
})

t.test('one object that cannot be written does not keep the others from being written', async (t) => {
  const rig = new Rig()
  for (const name of ['a', 'b']) {
    rig.addPod({
      name: `${name}-6c9d7f8b5d-x2k4p`,
      owner: { kind: 'ReplicaSet', name: `${name}-6c9d7f8b5d`, uid: name }
    })
  }
  rig.reading = { series: [] }
  rig.writer.before = (call) => {
    if (call === 'spec GpuWorkload team-a/deployment-a') throw new TypeError('planted')
  }

  const first = await rig.refresh()
  rig.writer.before = undefined
  const second = await rig.refresh()

  t.ok(first.includes('status GpuWorkload team-a/deployment-b'))
  t.match(rig.metrics.counts, { failed: 1 })
  t.strictSame(second, ['spec GpuWorkload team-a/deployment-a', 'status GpuWorkload team-a/deployment-a'])
})

/** Many workloads of a namespace whose name comes first, and one of `team-a`. */
function crowded(): Rig {
  const rig = new Rig()
  for (let index = 10; index < 30; index += 1) {
    const name = `w${index}-6c9d7f8b5d`
    rig.addPod({
      namespace: 'aaa',
      name: `${name}-x2k4p`,
      owner: { kind: 'ReplicaSet', name, uid: name }
    })
  }
  rig.addPod()
  rig.reading = { series: [] }
  return rig
}

t.test('a namespace that takes no writes does not keep the others from theirs', async (t) => {
  const rig = crowded()
  rig.writer.before = (call) => {
    if (call.includes(' aaa/')) throw new AppError('KUBE_REFUSED', 'the namespace is being terminated')
  }

  const written = await rig.refresh()

  t.ok(written.includes('status GpuWorkload team-a/deployment-app'))
  t.match(rig.metrics.counts, { failed: 20, created: 1, deferred: 0 })
})

t.test('what was left when the API server gave up is tried first the next time', async (t) => {
  const rig = crowded()
  rig.writer.before = (call) => {
    if (call.includes(' aaa/')) throw new AppError('KUBE_UNAVAILABLE', 'a webhook does not answer')
  }

  const first = await rig.refresh()
  const later = [await rig.refresh(), await rig.refresh()].flat()

  t.notOk(first.some((call) => call.includes('GpuWorkload')))
  t.ok(later.includes('status GpuWorkload team-a/deployment-app'))
})

t.test('refreshes go on after a fault, at their own pace', async (t) => {
  const rig = new Rig()
  let reads = 0
  const stopping = new AbortController()
  const refresh = rig.newProcess({
    source: {
      read: () => {
        reads += 1
        return Promise.reject(new TypeError('planted'))
      },
      close: () => Promise.resolve()
    }
  })

  const running = refresh.run(stopping.signal)
  rig.clock.advance(await rig.clock.untilSleep((ms) => ms === 300_000))
  await rig.clock.untilSleep((ms) => ms === 300_000)
  stopping.abort()
  await running

  t.equal(reads, 2)
  t.match(rig.metrics.counts, { 'refreshed error': 2 })
  t.ok(rig.log.lines.every(({ message }) => message === 'refresh failed'))
})

t.test('a pod that changes between refreshes is looked at alone', async (t) => {
  const rig = new Rig()
  rig.addPod()
  const stopping = new AbortController()
  const running = rig.newProcess().run(stopping.signal)
  await rig.clock.untilSleep((ms) => ms > 200_000)
  const all = rig.stores.pods.list()
  const listed = t.capture(rig.stores.pods, 'list', () => all)

  rig.addPod({ name: 'app-6c9d7f8b5d-other' })
  rig.stores.pods.remove('team-a', 'app-6c9d7f8b5d-other')

  t.strictSame(listed(), [])
  stopping.abort()
  await running
})

t.test('a policy asks for its own lookback, four weeks at most', async (t) => {
  const rig = new Rig()
  const asked: number[] = []
  rig.newProcess({
    source: {
      read: (request) => {
        asked.push(request.lookbackDays)
        return rig.source.read(request)
      },
      close: () => Promise.resolve()
    }
  })

  await rig.refresh()
  rig.addPolicy(aRawPolicy({ name: 'long', history: { lookback: '60d' } }))
  await rig.refresh()

  t.strictSame(asked, [14, 28])
})

t.test('metrics tell of the last reading', async (t) => {
  const rig = new Rig()
  rig.addPod()

  await rig.refresh()

  t.match(rig.metrics.seen, {
    workloads: 1,
    candidates: { standard: 1 },
    sourceFaults: {},
    newestSample: NOON_MS - 30_000
  })
  t.match(rig.metrics.counts, { 'refreshed complete': 1, created: 1 })
})
