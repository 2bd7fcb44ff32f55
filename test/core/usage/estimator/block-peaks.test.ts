import t from 'tap'
import type { UsageBlock } from '../../../../src/core/usage/block.ts'
import { blockPeaksOf } from '../../../../src/core/usage/estimator/block-peaks.ts'
import { defaultSettings } from '../../../../src/core/usage/estimator/settings.ts'
import { aBlock, aPeak, DAY } from './build.ts'

const scope = { sinceMs: 0, nowMs: 30 * DAY, settings: defaultSettings }

t.test('joins the pods of a day and takes the highest of everything', async (t) => {
  const blocks = [
    aBlock({
      pod: 'a',
      peakMiB: 9000,
      peakAtMs: 50,
      peakCompute: 0.2,
      limitMiB: 20_000,
      coverageSeconds: 43_200
    }),
    aBlock({ pod: 'b', peakMiB: 6000, peakAtMs: 10, peakCompute: 0.6, limitMiB: 10_000, device: 'mig' }),
    aBlock({ pod: 'a', peakMiB: 9000, peakAtMs: 40, peakCompute: 7, limitMiB: 20_000 })
  ]

  const peaks = blockPeaksOf(blocks, 'v1', scope)

  const want = { peakMiB: 9000, peakAtMs: 40, peakCompute: 0.6, pods: 2, onWholeGpu: false }
  t.strictSame(peaks, [aPeak({ ...want, limitMiB: 10_000, fillRatio: 0.6 })])
})

const cutOff: readonly { name: string; block: Partial<UsageBlock>; want: number | undefined }[] = [
  { name: 'below 95 % of its limit', block: { peakMiB: 9499, limitMiB: 10_000 }, want: undefined },
  { name: 'at 95 % of its limit', block: { peakMiB: 9500, limitMiB: 10_000 }, want: 10_000 },
  {
    name: 'out of memory below that',
    block: { peakMiB: 4000, limitMiB: 10_000, outOfMemory: true },
    want: 10_000
  },
  { name: 'without a limit', block: { peakMiB: 9500, limitMiB: undefined }, want: undefined },
  {
    name: 'out of memory without a limit',
    block: { limitMiB: undefined, outOfMemory: true },
    want: Number.POSITIVE_INFINITY
  },
  { name: 'at a limit of zero', block: { limitMiB: 0 }, want: undefined }
]
for (const { name, block, want } of cutOff) {
  t.test(`a block ${name} is ${want === undefined ? 'not cut off' : 'cut off'}`, async (t) => {
    t.equal(blockPeaksOf([aBlock(block)], 'v1', scope)[0]?.cutOffMiB, want)
  })
}

t.test('does not know how full a day was when one limit is unknown', async (t) => {
  const blocks = [aBlock({ pod: 'a', limitMiB: undefined }), aBlock({ pod: 'b' })]

  const [peak] = blockPeaksOf(blocks, 'v1', scope)

  t.strictSame([peak?.limitMiB, peak?.fillRatio], [undefined, undefined])
})

t.test('time that is no time does not count, and a limit that is no limit is unknown', async (t) => {
  for (const nonsense of [Number.NaN, Number.POSITIVE_INFINITY, -5]) {
    const [peak] = blockPeaksOf([aBlock({ coverageSeconds: nonsense, limitMiB: nonsense })], 'v1', scope)

    t.match(peak, { coveredRatio: 0, limitMiB: undefined, fillRatio: undefined })
  }
})

t.test('leaves out what is no measurement, what is too old and what lies ahead', async (t) => {
  const blocks = [
    aBlock({ day: 3, peakMiB: Number.NaN }),
    aBlock({ day: 4, peakMiB: -1 }),
    aBlock({ day: 5, samples: 0 }),
    aBlock({ day: Number.NaN }),
    aBlock({ day: 1 }),
    aBlock({ day: 31 }),
    aBlock({ day: 7 }),
    aBlock({ day: 6 })
  ]

  const peaks = blockPeaksOf(blocks, 'v1', { ...scope, sinceMs: 2 * DAY })

  t.strictSame(
    peaks.map(({ dayMs }) => dayMs / DAY),
    [6, 7]
  )
})
