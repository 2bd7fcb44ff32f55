import t from 'tap'
import { fieldAt, listOf } from '../../../src/core/json.ts'
import { aRawPolicy } from '../../build/policy.ts'
import { aSeries, DAY_MS, NOON_MS, Rig } from '../rig.ts'

const days = (count: number, miB: number): readonly number[] => Array.from({ length: count }, () => miB)

t.test('too little history is said, and is no candidate yet', async (t) => {
  const rig = new Rig()
  rig.addPod()
  rig.reading = { series: [aSeries({ daysMiB: days(2, 5200) })] }

  await rig.refresh()

  t.equal(rig.condition('Candidate'), 'Unknown TooLittleHistory')
  t.equal(rig.condition('LowConfidence'), 'True TooLittleHistory')
  t.match(rig.policy(), { status: { candidates: 0 } })
})

t.test('a pod without any sample has an object that says so', async (t) => {
  const rig = new Rig()
  rig.addPod()
  rig.reading = { series: [] }

  await rig.refresh()

  t.match(rig.container(), { name: 'main', current: 'nvidia.com/gpu' })
  t.equal(rig.condition('Candidate'), 'Unknown NoHistory')
  t.equal(rig.condition('LowConfidence'), 'True NoHistory')
  t.equal(rig.condition('SamplesDiscarded'), 'True NoMemorySeries')
})

t.test('a large peak fits nothing, and the largest share is named as too small', async (t) => {
  const rig = new Rig()
  rig.addPod()
  rig.reading = { series: [aSeries({ daysMiB: days(14, 50_000) })] }

  await rig.refresh()

  t.match(rig.container(), {
    peakMemory: '50000Mi',
    nextSmallerRejected: {
      resource: 'nvidia.com/mig-3g.40gb',
      usable: '40320Mi',
      message: 'has too little memory'
    }
  })
  t.notOk('fits' in rig.container())
  t.equal(rig.condition('Candidate'), 'False PeakTooLarge')
})

t.test('a size between two shares names the one and rejects the other', async (t) => {
  const rig = new Rig()
  rig.addPod()
  rig.reading = { series: [aSeries({ daysMiB: days(14, 20_000) })] }

  await rig.refresh()

  t.match(rig.container(), {
    fits: { resource: 'nvidia.com/mig-3g.40gb' },
    nextSmallerRejected: { resource: 'nvidia.com/mig-1g.10gb' }
  })
})

t.test('pods on one device at once are told apart by nobody', async (t) => {
  const rig = new Rig()
  rig.addPod()
  rig.addPod({ name: 'app-6c9d7f8b5d-zzzzz' })
  rig.reading = { series: [aSeries(), aSeries({ pod: 'app-6c9d7f8b5d-zzzzz' })] }

  await rig.refresh()

  t.match(rig.container(), { evidence: 'SharedDevice', peakMemory: '5200Mi' })
  t.equal(rig.condition('Candidate'), 'Unknown NoPerPodHistoryOnSharedGpu')
  t.equal(rig.condition('LowConfidence'), 'True NoPerPodHistoryOnSharedGpu')
  t.equal(rig.condition('SamplesDiscarded'), 'True SharedDevice')
})

t.test('in a namespace that has not opted in it is a candidate all the same', async (t) => {
  const rig = new Rig()
  rig.stores.namespaces.set('', 'team-a', { name: 'team-a', labels: {} })
  rig.addPod({
    annotations: { 'rightslice.dev/decision': 'Pinned', 'rightslice.dev/explain': 'forged by its user' }
  })

  await rig.refresh()

  t.equal(rig.condition('Candidate'), 'True FitsMigProfile')
  t.match(rig.workload(), { status: { decision: { reason: 'NamespaceNotOptedIn' } } })
})

t.test('the last decision is what the webhook wrote on the newest pod', async (t) => {
  const rig = new Rig()
  rig.addPod()
  rig.addPod({
    name: 'app-6c9d7f8b5d-newer',
    ageMs: 1_000,
    annotations: {
      'rightslice.dev/decision': 'NoShareOffered',
      'rightslice.dev/explain': 'nothing\u0007 was there'
    }
  })

  await rig.refresh()

  t.match(rig.workload(), {
    status: { decision: { reason: 'NoShareOffered', message: 'nothing  was there' } }
  })
})

t.test('pods that run in the share that fits are no candidates any more', async (t) => {
  const rig = new Rig()
  rig.addPod()
  await rig.refresh()
  rig.stores.pods.remove('team-a', 'app-6c9d7f8b5d-x2k4p')
  const limits = { 'nvidia.com/mig-1g.10gb': '1' }
  rig.addPod({
    name: 'app-6c9d7f8b5d-small',
    ageMs: 60_000,
    containers: [{ limits }],
    labels: { 'pod-template-hash': '6c9d7f8b5d', 'rightslice.dev/slice': 'mig-1g.10gb' },
    annotations: {
      'rightslice.dev/decision': 'FitsMigProfile',
      'rightslice.dev/explain': 'it fits',
      'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}'
    }
  })

  await rig.refresh()

  t.match(rig.container(), {
    current: 'nvidia.com/mig-1g.10gb',
    requested: { 'nvidia.com/gpu': '1' },
    peakMemory: '5200Mi'
  })
  t.equal(rig.condition('Candidate'), 'False RunsInItsShare')
  t.match(rig.policy(), { status: { candidates: 0 } })
})

t.test('a CronJob between two runs keeps what was said', async (t) => {
  const rig = new Rig()
  const minute = String(Math.floor(NOON_MS / 60_000))
  const name = `nightly-${minute}-x2k4p`
  rig.addPod({ name, labels: {}, owner: { kind: 'Job', name: `nightly-${minute}`, uid: 'job-1' } })
  rig.reading = { series: [aSeries({ pod: name })] }
  await rig.refresh()
  rig.stores.pods.remove('team-a', name)

  rig.clock.advance(3_600_000)
  await rig.refresh()

  t.equal(rig.condition('Candidate', rig.workload('cronjob-nightly')), 'True FitsMigProfile')
  t.match(rig.container('cronjob-nightly'), { peakMemory: '5200Mi' })
})

t.test('a size that was raised is held until a smaller one has held for a week', async (t) => {
  const rig = new Rig()
  rig.addPod()
  const past = days(13, 5200)
  rig.reading = { series: [aSeries({ daysMiB: [...past, 20_000] })] }
  await rig.refresh()
  const raised = rig.container()

  rig.clock.advance(2 * DAY_MS)
  rig.reading = {
    series: [aSeries({ daysMiB: [...past.slice(2), 5200, 5200, 5200], nowMs: NOON_MS + 2 * DAY_MS })]
  }
  await rig.refresh()

  t.match(raised, { fits: { resource: 'nvidia.com/mig-3g.40gb' } })
  t.match(rig.container(), { peakMemory: '5200Mi', fits: { resource: 'nvidia.com/mig-3g.40gb' } })
})

t.test('a share that the program says was too small is stepped up at once', async (t) => {
  const rig = new Rig()
  const finishedAt = new Date(NOON_MS - 60_000).toISOString()
  const terminated = { exitCode: 1, message: 'torch.OutOfMemoryError: CUDA out of memory', finishedAt }
  rig.addPod({
    containers: [{ limits: { 'nvidia.com/mig-1g.10gb': '1' } }],
    status: { phase: 'Running', containerStatuses: [{ name: 'main', lastState: { terminated } }] }
  })
  rig.reading = {
    series: [aSeries({ instance: '7', profile: '1g.10gb', daysMiB: days(14, 8_000) })]
  }

  await rig.refresh()

  t.match(rig.container(), {
    sizing: [{ stepUps: [{ failedMiB: 9728, evidence: 'message' }] }],
    sizeFloor: String
  })
  t.ok(Number.parseInt(String(rig.container()['sizeFloor']), 10) > 9728)
})

t.test('without a policy the object says what is measured, and nothing is proposed', async (t) => {
  const rig = new Rig()
  rig.writer.onChange?.({ kind: 'GpuPolicy', namespace: '', name: 'standard' }, undefined)
  rig.addPod()

  await rig.refresh()

  t.match(rig.container(), { peakMemory: '5200Mi' })
  t.equal(fieldAt(rig.workload(), 'status', 'policy'), undefined)
  t.equal(rig.condition('Candidate'), 'False NoPolicyMatches')
})

t.test('a container that is gone from the template is forgotten', async (t) => {
  const rig = new Rig()
  rig.addPod({ containers: [{ name: 'old' }] })
  rig.reading = { series: [aSeries({ container: 'old' })] }
  await rig.refresh()
  rig.stores.pods.remove('team-a', 'app-6c9d7f8b5d-x2k4p')
  rig.addPod({ name: 'app-other-aaaaa', containers: [{ name: 'new' }] })
  rig.reading = { series: [] }

  await rig.refresh()

  const names = listOf(fieldAt(rig.workload(), 'status'), 'containers').map((one) => fieldAt(one, 'name'))
  t.strictSame(names, ['new'])
})

t.test('the policy with the higher priority is the one that is named', async (t) => {
  const rig = new Rig()
  rig.addPolicy(aRawPolicy({ name: 'first', priority: 5 }))
  rig.addPod()

  await rig.refresh()

  t.match(rig.workload(), { status: { policy: 'first' } })
  t.match(rig.policy('first'), { status: { candidates: 1 } })
  t.match(rig.policy(), { status: { candidates: 0 } })
})

t.test('a pod that would step around its share is no candidate, and the status says by what', async (t) => {
  const rig = new Rig()
  rig.addPod({ spec: { hostPID: true } })

  await rig.refresh()

  t.equal(rig.condition('Candidate'), 'False BreaksIsolation')
  t.match(fieldAt(rig.workload(), 'status', 'decision'), {
    reason: 'BreaksIsolation',
    message: /^\[HostPidWithGpu\] the pod has spec\.hostPID/
  })
})

t.test('the metric beside a busy share is the one that this share was read from', async (t) => {
  const rig = new Rig()
  rig.addPod()
  const compute = (metric: 'sm-active' | 'gr-engine-active', metricName: string, max: number) => ({
    ...aSeries({ daysMiB: days(14, max) }),
    metric,
    metricName
  })
  const engine = compute('gr-engine-active', 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', 0.4)
  const metricNames = ['DCGM_FI_DEV_FB_USED', 'DCGM_FI_PROF_SM_ACTIVE', 'DCGM_FI_PROF_GR_ENGINE_ACTIVE']
  rig.reading = { metricNames, series: [aSeries(), engine] }
  await rig.refresh()
  t.match(rig.container(), { peakCompute: '40%', computeMetric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE' })

  const busier = compute('sm-active', 'DCGM_FI_PROF_SM_ACTIVE', 0.6)
  rig.reading = { status: 'partial', metricNames, series: [aSeries(), busier] }
  await rig.refresh()
  t.match(rig.container(), { peakCompute: '60%', computeMetric: 'DCGM_FI_PROF_SM_ACTIVE' })
})
