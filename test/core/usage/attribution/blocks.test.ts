import t from 'tap'
import { newBlockCollection } from '../../../../src/core/usage/attribution/blocks.ts'
import type { UsageBlock } from '../../../../src/core/usage/block.ts'
import { deployment, FIRST_DAY } from '../../../build/attribution.ts'

const key = { namespace: 'team-a', workload: deployment('app'), container: 'main', gpuModel: '', image: '' }
const base: UsageBlock = {
  dayMs: FIRST_DAY,
  pod: 'p',
  peakMiB: 9000,
  peakAtMs: undefined,
  peakCompute: undefined,
  samples: 10,
  coverageSeconds: 300,
  limitMiB: undefined,
  device: 'whole',
  outOfMemory: false
}

const cases: readonly { name: string; blocks: readonly Partial<UsageBlock>[]; want: Partial<UsageBlock> }[] =
  [
    {
      name: 'the higher peak with its limit',
      blocks: [{ peakMiB: 9600, limitMiB: 9728, device: 'mig' }, { peakMiB: 3000 }],
      want: { peakMiB: 9600, limitMiB: 9728, device: 'mig' }
    },
    {
      name: 'of equal peaks that with less room',
      blocks: [{ limitMiB: 80_000 }, { limitMiB: 9728, device: 'mig' }, {}],
      want: { limitMiB: 9728, device: 'mig' }
    },
    {
      name: 'of equal ones the kind that comes first',
      blocks: [{ device: 'whole' }, { device: 'mig' }],
      want: { device: 'mig' }
    },
    {
      name: 'the earliest time of equal peaks',
      blocks: [{ peakAtMs: 7 }, { peakAtMs: 5 }, {}],
      want: { peakAtMs: 5 }
    },
    {
      name: 'the busier compute, most samples, longest cover',
      blocks: [
        { peakCompute: 0.2, computeMetric: 'engine', samples: 50 },
        { peakCompute: 0.6, computeMetric: 'sm', coverageSeconds: 900 }
      ],
      want: { peakCompute: 0.6, computeMetric: 'sm', samples: 50, coverageSeconds: 900 }
    },
    {
      name: 'an end for want of memory stays',
      blocks: [{}, { peakMiB: 1, outOfMemory: true }],
      want: { outOfMemory: true }
    }
  ]

for (const { name, blocks, want } of cases) {
  t.test(`[USE17] one block a pod and day: ${name}`, async (t) => {
    for (const order of [blocks, blocks.toReversed()]) {
      const collection = newBlockCollection()
      for (const block of order) collection.add(key, { ...base, ...block })

      t.strictSame(collection.histories(), [{ key, blocks: [{ ...base, ...want }] }])
    }
  })
}

t.test('[USE18] histories are ordered by key, blocks by day and pod', async (t) => {
  const collection = newBlockCollection()
  for (const namespace of ['b', 'a']) {
    for (const [dayMs, pod] of [
      [2, 'p'],
      [1, 'q'],
      [1, 'p']
    ] as const)
      collection.add({ ...key, namespace }, { ...base, dayMs, pod })
  }

  t.strictSame(
    collection
      .histories()
      .map(({ key: own, blocks }) => [own.namespace, blocks.map(({ dayMs, pod }) => `${dayMs}${pod}`)]),
    [
      ['a', ['1p', '1q', '2p']],
      ['b', ['1p', '1q', '2p']]
    ]
  )
})
