import t from 'tap'
import { fieldAt, listOf } from '../../src/core/json.ts'
import { aMigNode } from '../build/node.ts'
import { type aLivePod, aSeries, DAY_MS, MODEL, NOON_MS, Rig } from './rig.ts'

const days = (count: number, miB: number): readonly number[] => Array.from({ length: count }, () => miB)

/** A pod in the slice that it was given, whose program said a minute ago that the slice was too small. */
const failing: Parameters<typeof aLivePod>[0] = {
  name: 'app-6c9d7f8b5d-small',
  ageMs: 3_600_000,
  containers: [{ limits: { 'nvidia.com/mig-1g.10gb': '1' } }],
  labels: { 'pod-template-hash': '6c9d7f8b5d', 'rightslice.dev/slice': 'mig-1g.10gb' },
  annotations: { 'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}' },
  status: {
    containerStatuses: [
      {
        name: 'main',
        lastState: {
          terminated: {
            exitCode: 1,
            message: 'torch.OutOfMemoryError: CUDA out of memory',
            finishedAt: new Date(NOON_MS - 60_000).toISOString()
          }
        }
      }
    ]
  }
}

const slice = { pod: 'app-6c9d7f8b5d-small', instance: '7', profile: '1g.10gb' } as const

/** A workload that runs in the smallest slice after fourteen days on a whole GPU. */
async function sized(): Promise<Rig> {
  const rig = new Rig()
  rig.addPod()
  await rig.refresh()
  t.match(rig.container(), { fits: { resource: 'nvidia.com/mig-1g.10gb' } })
  rig.stores.pods.remove('team-a', 'app-6c9d7f8b5d-x2k4p')
  return rig
}

function stepUpsOf(rig: Rig, name = 'deployment-app'): readonly unknown[] {
  return listOf(rig.container(name), 'sizing').flatMap((sizing) => listOf(sizing, 'stepUps'))
}

const stepUp = { failedMiB: 9728, evidence: 'message' }
const nextSize = { peakMemory: '5200Mi', needed: '9729Mi', sizeFloor: '9729Mi' }

const silences: readonly { name: string; reading: Rig['reading'] }[] = [
  { name: 'the pod died before its first sample', reading: {} },
  {
    name: 'its samples are all zero',
    reading: { series: [aSeries(), aSeries({ ...slice, daysMiB: [0] })] }
  },
  { name: 'the last day on the whole GPU is over the lookback', reading: { series: [] } },
  {
    name: 'the source is down',
    reading: {
      status: 'failed',
      series: [],
      newestSampleMs: undefined,
      faults: [{ kind: 'unreachable', message: 'no answer', count: 1 }]
    }
  }
]

for (const { name, reading } of silences) {
  t.test(`[EST6] words of the program ask for the next size although ${name}`, async (t) => {
    const rig = await sized()
    rig.addPod(failing)
    rig.reading = reading

    await rig.refresh()

    t.match(rig.container(), nextSize)
    t.match(stepUpsOf(rig), [stepUp])
  })
}

t.test('[EST6] the size of a slice is that of the catalogue where the node is gone', async (t) => {
  const rig = await sized()
  rig.addPod({ ...failing, nodeName: 'gone' })

  await rig.refresh()

  t.match(stepUpsOf(rig), [{ failedMiB: 9984, evidence: 'message' }])
  t.match(rig.container(), { needed: '9985Mi' })
})

t.test('[EST6] a foreign share counts with the size that was in force when its pod began', async (t) => {
  const rig = await sized()
  rig.clock.advance(DAY_MS)
  const hami = { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '9728' }
  rig.addPod({ ...failing, ageMs: -60_000, containers: [{ limits: hami }] })

  await rig.refresh()
  const first = stepUpsOf(rig)
  rig.clock.advance(DAY_MS)
  await rig.refresh()

  t.match(first, [stepUp])
  t.strictSame(stepUpsOf(rig), first, 'and not with the next size, which it never had')
})

t.test(
  '[EST6] what is known of a workload on shared cards stays for the day it has one for itself',
  async (t) => {
    const rig = new Rig()
    rig.addPod(failing)
    rig.addPod({ name: 'app-6c9d7f8b5d-other' })
    const both = [aSeries(slice), aSeries({ ...slice, pod: 'app-6c9d7f8b5d-other' })]
    rig.reading = { series: both }

    await rig.refresh()
    await rig.refresh()

    t.match(rig.container(), { evidence: 'SharedDevice', sizing: [{ model: MODEL, stepUps: [stepUp] }] })
  }
)

t.test('[EST6] an end on another model counts for the model that was measured', async (t) => {
  const rig = await sized()
  rig.addNode(
    aMigNode({
      name: 'node-2',
      product: 'NVIDIA-A100-SXM4-40GB',
      profiles: { '1g.5gb': { count: 7, memoryMiB: 4864 } }
    })
  )
  rig.addPod({
    ...failing,
    nodeName: 'node-2',
    containers: [{ limits: { 'nvidia.com/mig-1g.5gb': '1' } }]
  })
  rig.reading = { series: [aSeries({ daysMiB: days(14, 5200) })] }

  await rig.refresh()

  t.match(stepUpsOf(rig), [{ failedMiB: 4864 }])
  t.equal(fieldAt(listOf(rig.container(), 'sizing')[0], 'model'), MODEL)
})

/** A pod of a Job that ended for good in the slice that it was given. */
function endedPod(name: string, message: string, minutesAgo = 1): Parameters<typeof aLivePod>[0] {
  const finishedAt = new Date(NOON_MS - minutesAgo * 60_000).toISOString()
  return {
    ...failing,
    name,
    ageMs: DAY_MS,
    labels: { 'rightslice.dev/slice': 'mig-1g.10gb' },
    owner: { kind: 'Job', name: 'train', apiVersion: 'batch/v1', uid: 'job-1' },
    status: {
      phase: 'Failed',
      containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 1, message, finishedAt } } }]
    }
  }
}

/** A Job after fourteen days on a whole GPU. */
async function sizedJob(): Promise<Rig> {
  const rig = new Rig()
  const owner = { kind: 'Job', name: 'train', apiVersion: 'batch/v1', uid: 'job-1' }
  rig.addPod({ name: 'train-a1b2c', labels: {}, owner })
  rig.reading = { series: [aSeries({ pod: 'train-a1b2c' })] }
  await rig.refresh()
  rig.stores.pods.remove('team-a', 'train-a1b2c')
  return rig
}

const ends = [
  { name: 'its words', message: 'CUDA out of memory', peakMiB: 5200, evidence: 'message' },
  { name: 'an exit in a full share', message: '', peakMiB: 9600, evidence: 'exit-at-ceiling' }
]

for (const { name, message, peakMiB, evidence } of ends) {
  t.test(`[EST6] the end of a pod that is over for good counts by ${name}`, async (t) => {
    const rig = await sizedJob()
    rig.addNode(
      aMigNode({
        labels: { 'nvidia.com/gpu.replicas': '1', 'nvidia.com/mig-1g.10gb.replicas': '1' },
        profiles: { '1g.10gb': { count: 4, memoryMiB: 9728 }, '3g.40gb': { count: 1, memoryMiB: 40_320 } }
      })
    )
    rig.addPod(endedPod('train-d3e4f', message))
    const whole = aSeries({ pod: 'train-a1b2c' })
    const last = aSeries({ ...slice, pod: 'train-d3e4f', daysMiB: [peakMiB], gpuUuid: 'GPU-2' })
    rig.reading = { series: [whole, last] }

    await rig.refresh()

    const found = stepUpsOf(rig, 'job-train')
    t.ok(
      found.some(
        (stepUp) => fieldAt(stepUp, 'evidence') === evidence && fieldAt(stepUp, 'failedMiB') === 9728
      ),
      JSON.stringify(found)
    )
  })
}

t.test('[EST6] what ended in the share stays for as long as the image does', async (t) => {
  const rig = await sizedJob()
  rig.addPod({ name: 'train-a1b2c', labels: {}, owner: { kind: 'Job', name: 'train', uid: 'job-1' } })
  rig.addPod(endedPod('train-d3e4f', 'CUDA out of memory'))
  await rig.refresh()
  rig.stores.pods.remove('team-a', 'train-d3e4f')

  for (let day = 1; day <= 10; day += 1) {
    rig.clock.advance(DAY_MS)
    const nowMs = NOON_MS + day * DAY_MS
    rig.reading = { series: [aSeries({ pod: 'train-a1b2c', nowMs, daysMiB: days(14, 5200) })] }
    await rig.refresh()
  }

  t.match(rig.container('job-train'), { needed: '9729Mi', sizeFloor: '9729Mi' })
})

t.test(
  '[EST6] a container that fails again in the same share asks for the next size and no more',
  async (t) => {
    const rig = await sizedJob()
    rig.addPod(endedPod('train-d3e4f', 'CUDA out of memory', 20))
    await rig.refresh()
    rig.addPod(endedPod('train-f5g6h', 'CUDA out of memory', 10))
    await rig.refresh()

    t.match(rig.container('job-train'), { needed: '9729Mi' })
    t.notOk('obstacle' in rig.container('job-train'))
  }
)

t.test('[EST6] a pod that ended and is gone before the next refresh has told its end', async (t) => {
  const rig = await sizedJob()
  const stopping = new AbortController()
  const running = rig.newProcess().run(stopping.signal)
  await rig.clock.untilSleep((ms) => ms > 200_000)

  rig.addPod({ ...endedPod('train-d3e4f', 'CUDA out of memory'), status: {} })
  rig.addPod(endedPod('train-d3e4f', 'CUDA out of memory'))
  rig.stores.pods.remove('team-a', 'train-d3e4f')
  await rig.refresh()
  stopping.abort()
  await running

  t.match(stepUpsOf(rig, 'job-train'), [stepUp])
  t.match(rig.container('job-train'), { needed: '9729Mi' })
})
