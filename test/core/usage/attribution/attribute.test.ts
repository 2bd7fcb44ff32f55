import t from 'tap'
import { type Attribution, attribute } from '../../../../src/core/usage/attribution/attribute.ts'
import type { AttributionInput } from '../../../../src/core/usage/attribution/known.ts'
import { noteSentence } from '../../../../src/core/usage/attribution/tally.ts'
import {
  aKnownNode,
  aKnownPod,
  aSeries,
  DAY,
  deployment,
  FIRST_DAY,
  HOUR
} from '../../../build/attribution.ts'

const other = 'app-7c9d8f6b5d-mm9qk'

function attributed(input: Partial<AttributionInput>): Attribution {
  return attribute({ series: [], pods: [], ownersOf: [], nowMs: FIRST_DAY + 2 * DAY, ...input })
}

/** Peaks that are somebody's own, by pod. */
function peaksOf({ histories }: Attribution): Readonly<Record<string, number>> {
  return Object.fromEntries(
    histories.flatMap(({ blocks }) => blocks.map(({ pod, peakMiB }) => [pod, peakMiB]))
  )
}

t.test('[USE1] a GPU that one container has to itself gives its workload a block', async (t) => {
  const series = [
    aSeries({
      days: [
        { max: 5200, maxAtHour: 3, fromHour: 0, toHour: 24 },
        { day: 1, max: 5300, samples: 1440 }
      ]
    }),
    aSeries({ metric: 'gr-engine-active', days: [{ max: 0.4 }, { day: 1, max: 0.5 }] }),
    aSeries({ metric: 'sm-active', days: [{ max: 0.3 }] })
  ]

  const { histories, bounds, discarded, notes } = attributed({ series, pods: [aKnownPod()] })

  const key = {
    namespace: 'team-a',
    workload: deployment('app'),
    container: 'main',
    gpuModel: 'NVIDIA-H100-80GB-HBM3',
    image: 'registry.example/app:1'
  }
  const block = { pod: 'app-7c9d8f6b5d-x2k4p', limitMiB: 81_559, device: 'whole', outOfMemory: false }
  t.match(histories, [
    {
      key,
      blocks: [
        {
          ...block,
          dayMs: FIRST_DAY,
          peakMiB: 5200,
          peakAtMs: FIRST_DAY + 3 * HOUR,
          peakCompute: 0.3,
          samples: 2880,
          coverageSeconds: 86_400
        },
        {
          ...block,
          dayMs: FIRST_DAY + DAY,
          peakMiB: 5300,
          peakCompute: 0.5,
          samples: 1440,
          coverageSeconds: 43_200
        }
      ]
    }
  ])
  t.strictSame({ bounds, discarded, notes }, { bounds: [], discarded: {}, notes: [] })
})

t.test(
  '[USE2] a slice is told by its instance, has its own memory, and its compute is that of the whole GPU',
  async (t) => {
    const slice = { gpuInstanceId: '9', migProfile: '1g.10gb' }
    const series = [
      aSeries({ ...slice, days: [{ max: 5310 }] }),
      aSeries({ ...slice, metric: 'gr-engine-active', days: [{ max: 0.5 }] }),
      aSeries({ ...slice, gpuInstanceId: '11', pod: other, days: [{ max: 700 }] })
    ]

    const pods = [
      aKnownPod({ containers: [{ gpuResource: 'nvidia.com/mig-1g.10gb' }] }),
      aKnownPod({ name: other })
    ]
    const { histories } = attributed({
      series,
      pods,
      nodes: [aKnownNode({ memoryMiB: { 'nvidia.com/mig-1g.10gb': 9728 } })]
    })

    const blocks = histories.flatMap((history) => history.blocks)
    t.match(blocks, [
      { pod: other, peakMiB: 700, device: 'mig', limitMiB: 9728, peakCompute: undefined },
      {
        pod: 'app-7c9d8f6b5d-x2k4p',
        peakMiB: 5310,
        device: 'mig',
        limitMiB: 9728,
        peakCompute: (0.5 * 16) / 132
      }
    ])
  }
)

t.test('[USE3] copies of a device that several pods have are upper bounds and never a peak', async (t) => {
  const series = ['p-1', 'p-2', 'p-3'].map((pod, index) =>
    aSeries({ pod, replica: `${index}`, days: [{ max: 21_000 }] })
  )
  const pods = ['p-1', 'p-2', 'p-3'].map((name) => aKnownPod({ name, uid: name }))

  const { histories, bounds, discarded, notes } = attributed({ series, pods })

  t.strictSame(histories, [])
  t.strictSame(
    bounds.map(({ pod, atMostMiB, days }) => ({ pod, atMostMiB, days })),
    ['p-1', 'p-2', 'p-3'].map((pod) => ({ pod, atMostMiB: 21_000, days: 1 }))
  )
  t.strictSame(discarded, { 'shared-device': 3 })
  t.strictSame(notes.map(noteSentence), [
    'container main: several containers were on the device at once, and the value is that of all of them (3 daily values, on GPU-a)'
  ])
})

t.test('[USE3] a bound is the highest of all days, with the time at which it was first seen', async (t) => {
  const days = [
    { max: 4000, maxAtHour: 1 },
    { day: 1, max: 9000, maxAtHour: 5 },
    { day: 2, max: 9000, maxAtHour: 3 },
    { day: 3, max: 7000 }
  ]
  const series = ['p-1', 'p-2'].map((pod) => aSeries({ pod, days }))

  const { bounds } = attributed({ series, pods: ['p-1', 'p-2'].map((name) => aKnownPod({ name })) })

  t.match(bounds, [
    { pod: 'p-1', atMostMiB: 9000, atMs: FIRST_DAY + DAY + 5 * HOUR, basis: 'series', days: 4 },
    { pod: 'p-2', atMostMiB: 9000 }
  ])
})

t.test('[USE4] values of processes count once they cannot be copies of one value', async (t) => {
  const shared = (
    pod: string,
    max: number,
    span: { fromHour?: number; toHour?: number } = { fromHour: 0, toHour: 24 }
  ) => aSeries({ pod, podUid: `uid-${pod}`, replica: '0', perProcess: true, days: [{ max, ...span }] })
  const total = (max: number) =>
    aSeries({ namespace: '', pod: '', container: '', days: [{ max, fromHour: 0, toHour: 24 }] })
  const pods = ['p-1', 'p-2'].map((name) => aKnownPod({ name, uid: `uid-${name}` }))
  const cases = [
    {
      name: 'different at the same times',
      series: [shared('p-1', 4120), shared('p-2', 7702)],
      want: { 'p-1': 4120, 'p-2': 7702 }
    },
    { name: 'equal at the same times', series: [shared('p-1', 11_870), shared('p-2', 11_870)], want: {} },
    {
      name: 'equal, and less than the device',
      series: [shared('p-1', 4120), shared('p-2', 4120), total(8240)],
      want: { 'p-1': 4120, 'p-2': 4120 }
    },
    {
      name: 'equal to the device',
      series: [shared('p-1', 8240), shared('p-2', 8240), total(8240)],
      want: {}
    },
    {
      name: 'lower in a shorter time, as a copy may be',
      series: [shared('p-1', 4120, { fromHour: 0, toHour: 12 }), shared('p-2', 7702)],
      want: {}
    },
    {
      name: 'higher in a shorter time, as no copy can be',
      series: [shared('p-1', 7702, { fromHour: 0, toHour: 12 }), shared('p-2', 4120)],
      want: { 'p-1': 7702, 'p-2': 4120 }
    },
    { name: 'times unknown', series: [shared('p-1', 4120, {}), shared('p-2', 7702, {})], want: {} },
    {
      name: 'zero of invisible processes',
      series: [shared('p-1', 0), shared('p-2', 7702), total(11_870)],
      want: { 'p-2': 7702 }
    }
  ]
  for (const { name, series, want } of cases) {
    t.test(name, async (t) => {
      t.strictSame(peaksOf(attributed({ series, pods })), want)
    })
  }

  t.test('a block of a container with a limit of its own has that limit', async (t) => {
    const { histories } = attributed({
      series: [aSeries({ days: [{ max: 6100, fromHour: 0, toHour: 24 }] })],
      pods: [aKnownPod({ containers: [{ gpuResource: 'nvidia.com/gpumem', limitMiB: 6240 }] })],
      nodes: [aKnownNode({ replicas: { 'nvidia.com/gpumem': 1 } })]
    })

    t.match(
      histories.flatMap(({ blocks }) => blocks),
      [{ peakMiB: 6100, limitMiB: 6240 }]
    )
  })

  t.test('a block of processes has the memory of the device and no compute', async (t) => {
    const busy = ['p-1', 'p-2'].map((pod) =>
      aSeries({ pod, metric: 'gr-engine-active', days: [{ max: 0.61, fromHour: 0, toHour: 24 }] })
    )
    const { histories, discarded } = attributed({
      series: [shared('p-1', 4120), shared('p-2', 7702), ...busy],
      pods,
      nodes: [
        aKnownNode({ mps: true, replicas: { 'nvidia.com/gpu': 4 }, memoryMiB: { 'nvidia.com/gpu': 80_000 } })
      ]
    })

    t.match(
      histories.flatMap(({ blocks }) => blocks),
      [
        { device: 'process', limitMiB: 20_000, peakCompute: undefined },
        { device: 'process', limitMiB: 20_000, peakCompute: undefined }
      ]
    )
    t.strictSame(discarded, { 'shared-compute': 2 })
  })
})

t.test(
  '[USE5] zero of a pod whose processes are invisible is no use, and the total of the device bounds it',
  async (t) => {
    const series = [
      aSeries({ pod: 'p-1', podUid: 'uid-1', replica: '0', perProcess: true, days: [{ max: 0 }] }),
      aSeries({ pod: 'p-2', podUid: 'uid-2', replica: '1', perProcess: true, days: [{ max: 0 }] }),
      aSeries({ namespace: '', pod: '', container: '', days: [{ max: 11_870 }] })
    ]
    const pods = ['p-1', 'p-2'].map((name, index) => aKnownPod({ name, uid: `uid-${index + 1}` }))

    const { histories, bounds, discarded } = attributed({ series, pods })

    t.strictSame(histories, [])
    t.strictSame(
      bounds.map(({ atMostMiB }) => atMostMiB),
      [11_870, 11_870]
    )
    t.strictSame(discarded, { 'no-pod': 1, zero: 2 })
  }
)

t.test('[USE6] pods that follow each other on a device have it to themselves', async (t) => {
  const first = (toHour: number) => aSeries({ pod: 'p-1', days: [{ max: 4000, fromHour: 0, toHour }] })
  const second = aSeries({ pod: 'p-2', days: [{ max: 9000, fromHour: 10, toHour: 24 }] })
  const pods = [aKnownPod({ name: 'p-1' }), aKnownPod({ name: 'p-2', uid: 'uid-2' })]
  const cases = [
    { name: 'with a pause', toHour: 9, want: { 'p-1': 4000, 'p-2': 9000 } },
    { name: 'within the minute that sources tell', toHour: 10 + 1 / 60, want: { 'p-1': 4000, 'p-2': 9000 } },
    { name: 'not when they overlap', toHour: 10.1, want: {} }
  ]
  for (const { name, toHour, want } of cases) {
    t.test(name, async (t) => {
      t.strictSame(peaksOf(attributed({ series: [first(toHour), second], pods })), want)
    })
  }

  t.test('told by the lives of the pods where the source tells no times', async (t) => {
    const series = [
      aSeries({ pod: 'p-1', days: [{ max: 4000 }] }),
      aSeries({ pod: 'p-2', days: [{ max: 9000 }] })
    ]
    const lives = [
      aKnownPod({ name: 'p-1', startMs: FIRST_DAY - DAY, endMs: FIRST_DAY + 9 * HOUR }),
      aKnownPod({ name: 'p-2', uid: 'uid-2', startMs: FIRST_DAY + 9 * HOUR })
    ]

    t.strictSame(peaksOf(attributed({ series, pods: lives })), { 'p-1': 4000, 'p-2': 9000 })
    t.strictSame(peaksOf(attributed({ series, pods })), {})
  })
})

t.test('[USE7] a device that may have others whom the exporter does not name proves nothing', async (t) => {
  const series = [aSeries({ days: [{ max: 11_870 }] })]
  const asking = (gpuResource: string) => [aKnownPod({ containers: [{ gpuResource }] })]
  const unnamed = aKnownPod({ name: other, uid: 'uid-2', startMs: FIRST_DAY - DAY })
  const four = aKnownNode({ replicas: { 'nvidia.com/gpu': 4 } })
  const cases: readonly { name: string; input: Partial<AttributionInput>; own: boolean }[] = [
    { name: 'the node replicates', input: { pods: [aKnownPod()], nodes: [four] }, own: false },
    { name: 'the pod asks for a replica', input: { pods: asking('nvidia.com/gpu.shared') }, own: false },
    {
      name: 'the pod has a slice, the series is of the GPU',
      input: { pods: asking('nvidia.com/mig-1g.10gb') },
      own: false
    },
    { name: 'a GPU pod of the node is in no series', input: { pods: [aKnownPod(), unnamed] }, own: false },
    {
      name: 'the node says that nobody shares',
      input: { pods: [aKnownPod(), unnamed], nodes: [aKnownNode({ replicas: { 'nvidia.com/gpu': 1 } })] },
      own: true
    },
    {
      name: 'the other pod came later',
      input: { pods: [aKnownPod(), { ...unnamed, startMs: FIRST_DAY + 1.5 * DAY }] },
      own: true
    },
    {
      name: 'the other pod is of another node',
      input: { pods: [aKnownPod(), { ...unnamed, node: 'n2' }] },
      own: true
    },
    {
      name: 'the other pod has no GPU',
      input: { pods: [aKnownPod(), aKnownPod({ name: other, containers: [{ gpuResource: undefined }] })] },
      own: true
    },
    {
      name: 'in its sharing mode the exporter names all',
      input: {
        series: [aSeries({ replica: '0', days: [{ max: 11_870 }] })],
        pods: [aKnownPod()],
        nodes: [four]
      },
      own: true
    }
  ]
  for (const { name, input, own } of cases) {
    t.test(name, async (t) => {
      const result = attributed({ series, ...input })

      t.strictSame(peaksOf(result), own ? { 'app-7c9d8f6b5d-x2k4p': 11_870 } : {})
      t.strictSame(
        result.bounds.map(({ atMostMiB }) => atMostMiB),
        own ? [] : [11_870]
      )
      t.equal(result.discarded['replicated-device'], own ? undefined : 1)
    })
  }
})

t.test(
  '[USE8] a whole GPU whose slices others have is shared, and two containers of one pod share too',
  async (t) => {
    const slice = aSeries({ pod: 'p-2', gpuInstanceId: '9', migProfile: '1g.10gb', days: [{ max: 700 }] })
    const pods = [aKnownPod(), aKnownPod({ name: 'p-2', uid: 'uid-2' })]

    t.strictSame(peaksOf(attributed({ series: [aSeries({ days: [{ max: 5200 }] }), slice], pods })), {
      'p-2': 700
    })
    t.strictSame(
      attributed({
        series: ['main', 'second'].map((container) => aSeries({ container, days: [{ max: 5200 }] })),
        pods: [aKnownPod({ containers: [{}, { name: 'second' }] })]
      }).discarded,
      { 'shared-device': 2 }
    )
  }
)

t.test('[USE9] the repeated series of a pod that ended is nothing, and does not share', async (t) => {
  const ended = aKnownPod({ name: 'p-1', startMs: FIRST_DAY - DAY, endMs: FIRST_DAY + 6 * HOUR })
  const next = aKnownPod({ name: 'p-2', uid: 'uid-2', startMs: FIRST_DAY + 6 * HOUR })
  const series = [
    aSeries({
      pod: 'p-1',
      days: [
        { max: 30_000, maxAtHour: 20, fromHour: 0, toHour: 24 },
        { day: 1, max: 30_000 }
      ]
    }),
    aSeries({
      pod: 'p-2',
      days: [
        { max: 30_000, fromHour: 6, toHour: 24 },
        { day: 1, max: 30_100 }
      ]
    })
  ]

  const result = attributed({ series, pods: [ended, next] })

  t.strictSame(peaksOf(result), { 'p-2': 30_100 })
  t.strictSame(result.discarded, { 'after-end': 2 })
  t.strictSame(
    attributed({
      series: [aSeries({ days: [{ day: 1, max: 4000, fromHour: 0, toHour: 24 }] })],
      pods: [],
      ownersOf: [{ namespace: 'team-a', workload: deployment('app') }]
    }).notes.map(({ reason, workload }) => ({ reason, workload })),
    [{ reason: 'after-end', workload: deployment('app') }]
  )
})

t.test(
  '[USE10] values that no device can have, and ratios of an unknown memory, are discarded',
  async (t) => {
    const card = aKnownNode({ memoryMiB: { 'nvidia.com/gpu': 23_034 } })
    const cases = [
      {
        name: 'above the node',
        series: aSeries({ days: [{ max: 30_000 }] }),
        nodes: [card],
        want: { 'above-device': 1 }
      },
      {
        name: 'endless',
        series: aSeries({ days: [{ max: Infinity }] }),
        nodes: [],
        want: { 'above-device': 1 }
      },
      { name: 'no number', series: aSeries({ days: [{ max: Number.NaN }] }), nodes: [], want: { zero: 1 } },
      {
        name: 'ratio of nothing',
        series: aSeries({ metric: 'memory-ratio', model: '', days: [{ max: 0.5 }] }),
        nodes: [],
        want: { 'memory-unknown': 1 }
      },
      {
        name: 'no GPU named',
        series: aSeries({ gpuUuid: '', gpuIndex: '', days: [{ max: 5200 }] }),
        nodes: [],
        want: { 'device-unknown': 1 }
      }
    ]
    for (const { name, series, nodes, want } of cases) {
      t.test(name, async (t) => {
        const { histories, discarded } = attributed({ series: [series], pods: [aKnownPod()], nodes })

        t.strictSame(histories, [])
        t.strictSame(discarded, want)
      })
    }

    t.test(
      'compute of a slice without a known part, and a busy share above all, are no compute',
      async (t) => {
        const { histories, discarded } = attributed({
          series: [
            aSeries({ model: '', gpuInstanceId: '9', days: [{ max: 700 }] }),
            aSeries({ model: '', gpuInstanceId: '9', metric: 'sm-active', days: [{ max: 0.5 }] }),
            aSeries({ model: '', gpuInstanceId: '9', metric: 'gr-engine-active', days: [{ max: 7 }] })
          ],
          pods: [aKnownPod()]
        })

        t.equal(histories[0]?.blocks[0]?.peakCompute, undefined)
        t.strictSame(discarded, { 'above-device': 1, 'compute-share-unknown': 1 })
      }
    )
  }
)

t.test('[USE11] a ratio counts where the memory is not there in MiB', async (t) => {
  const ratio = aSeries({ metric: 'memory-ratio', days: [{ max: 0.5 }] })
  const nodes = [aKnownNode({ memoryMiB: { 'nvidia.com/gpu': 80_000 } })]

  t.match(peaksOf(attributed({ series: [ratio], pods: [aKnownPod()], nodes })), {
    'app-7c9d8f6b5d-x2k4p': 40_000
  })
  t.match(
    peaksOf(
      attributed({ series: [ratio, aSeries({ days: [{ max: 39_000 }] })], pods: [aKnownPod()], nodes })
    ),
    { 'app-7c9d8f6b5d-x2k4p': 39_000 }
  )
})

t.test(
  '[USE12] pods that are gone are found by name in their own namespace, and their image by their template',
  async (t) => {
    const gone = (namespace: string, pod: string) =>
      aSeries({ namespace, pod, gpuUuid: `GPU-${pod}`, days: [{ max: 6100 }] })
    const result = attributed({
      series: [
        gone('team-a', 'app-7c9d8f6b5d-mm9qk'),
        gone('team-a', 'app-66b7d5d9c4-zz2lw'),
        gone('team-b', 'app-7c9d8f6b5d-t4w6z'),
        gone('team-a', 'two-x2k4p')
      ],
      pods: [aKnownPod({ startMs: FIRST_DAY + DAY, node: 'n3' })],
      ownersOf: [
        { namespace: 'team-a', workload: { kind: 'Job', name: 'two' } },
        { namespace: 'team-a', workload: { kind: 'DaemonSet', name: 'two' } }
      ]
    })

    t.strictSame(
      result.histories.map(({ key, blocks }) => [key.workload.name, key.image, blocks[0]?.pod]),
      [
        ['app', '', 'app-66b7d5d9c4-zz2lw'],
        ['app', 'registry.example/app:1', 'app-7c9d8f6b5d-mm9qk']
      ]
    )
    t.strictSame(result.discarded, { 'owner-ambiguous': 1, 'owner-unknown': 1, 'no-memory-series': 1 })
  }
)

t.test(
  '[USE13] a name that was used before counts for a workload whose pods always have it, and for no other',
  async (t) => {
    const series = [aSeries({ pod: 's-0', days: [{ max: 30_000 }, { day: 1, max: 5000, maxAtHour: 12 }] })]
    const since = { startMs: FIRST_DAY + DAY, name: 's-0' }
    const workload = { kind: 'StatefulSet', name: 's' }

    const stateful = attributed({ series, pods: [aKnownPod({ ...since, workload })] })
    const bare = attributed({
      series,
      pods: [aKnownPod({ ...since, workload: { kind: 'Pod', name: 's-0' } })]
    })

    t.strictSame(
      stateful.histories.map(({ key, blocks }) => [key.image, blocks.map(({ peakMiB }) => peakMiB)]),
      [
        ['', [30_000]],
        ['registry.example/app:1', [5000]]
      ]
    )
    t.strictSame(peaksOf(bare), { 's-0': 5000 })
    t.strictSame(bare.discarded, { 'name-reused': 1 })
    t.strictSame(
      attributed({
        series: [aSeries({ podUid: 'uid-0', days: [{ max: 30_000 }] })],
        pods: [aKnownPod({ workload: { kind: 'Pod', name: 'x' } })]
      }).discarded,
      { 'name-reused': 1 }
    )
  }
)

t.test('[USE14] a container that is not named is the only one with a GPU', async (t) => {
  const series = [
    aSeries({ container: '', days: [{ max: 5200 }] }),
    aSeries({ metric: 'gr-engine-active', days: [{ max: 0.2 }] })
  ]
  const sidecar = { name: 'proxy', gpuResource: undefined }

  const one = attributed({ series, pods: [aKnownPod({ containers: [{}, sidecar] })] })
  const two = attributed({ series, pods: [aKnownPod({ containers: [{}, { name: 'second' }] })] })

  t.strictSame(
    one.histories.map(({ key }) => key.container),
    ['main']
  )
  t.equal(one.histories[0]?.blocks[0]?.peakCompute, 0.2)
  t.equal(two.discarded['container-unknown'], 1)
  t.equal(
    attributed({ series, pods: [], ownersOf: [{ namespace: 'team-a', workload: deployment('app') }] })
      .discarded['container-unknown'],
    1
  )
  t.strictSame(
    attributed({
      series: [aSeries({ container: 'old', days: [{ max: 1 }] })],
      pods: [aKnownPod({ workload: { kind: 'Pod', name: 'x' } })]
    }).discarded['name-reused'],
    1
  )
})

t.test('[USE15] a container whose memory no series gives is told with what was seen of it', async (t) => {
  const series = [
    aSeries({ gpuInstanceId: '1', migProfile: '3g.40gb', metric: 'gr-engine-active', days: [{ max: 0.31 }] })
  ]

  const { histories, notes } = attributed({ series, pods: [aKnownPod()] })

  t.strictSame(histories, [])
  t.strictSame(notes.map(noteSentence), [
    'container main: the source has no memory series for it (only others, on GPU-a (GPU instance 1))'
  ])
})

t.test('[USE16] a container that ran out of GPU memory is marked on that day', async (t) => {
  const pods = [aKnownPod({ containers: [{ outOfMemoryMs: [FIRST_DAY + DAY + HOUR] }] })]
  const series = [aSeries({ days: [{ max: 5200 }, { day: 1, max: 5300 }] })]

  const { histories } = attributed({ series, pods })

  t.strictSame(
    histories[0]?.blocks.map(({ outOfMemory }) => outOfMemory),
    [false, true]
  )
})

t.test('[USE17] several devices of one pod on one day give one block with the highest', async (t) => {
  const series = ['GPU-a', 'GPU-b', 'GPU-c'].map((gpuUuid, index) =>
    aSeries({
      gpuUuid,
      days: [{ max: [4000, 9000, 9000][index] ?? 0, maxAtHour: 3 - index, samples: 100 * (index + 1) }]
    })
  )

  const { histories } = attributed({ series, pods: [aKnownPod()] })

  t.match(histories, [{ blocks: [{ peakMiB: 9000, samples: 300, peakAtMs: FIRST_DAY + HOUR }] }])
  t.equal(histories[0]?.blocks.length, 1)
})
