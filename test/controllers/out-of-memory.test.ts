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

function stepUpsOf(rig: Rig): readonly unknown[] {
  return listOf(rig.container(), 'sizing').flatMap((sizing) => listOf(sizing, 'stepUps'))
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
