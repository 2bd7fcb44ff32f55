import t from 'tap'
import type { BlockPeak } from '../../../../src/core/usage/estimator/block-peaks.ts'
import { censoredBlocks, provenNeedMiB } from '../../../../src/core/usage/estimator/censoring.ts'
import { aPeak, DAY } from './build.ts'

const full = aPeak({ day: 1, peakMiB: 9700, limitMiB: 10_000, fillRatio: 0.97, cutOffMiB: 10_000 })
const exited = { ...full, outOfMemory: true }
const roomy = aPeak({ day: 2, limitMiB: 20_000, fillRatio: 0.9 })

const cases: readonly { name: string; peaks: readonly BlockPeak[]; seasonBlocks?: number; want: number }[] = [
  { name: 'a clean block', peaks: [roomy], want: 0 },
  { name: 'a full block alone', peaks: [full], want: 1 },
  { name: 'a full block, then a day with room', peaks: [full, roomy], want: 0 },
  { name: 'a day with room, then a full block', peaks: [roomy, { ...full, dayMs: 3 * DAY }], want: 1 },
  { name: 'a full block, then a day of a week', peaks: [full, roomy], seasonBlocks: 7, want: 1 },
  { name: 'a full block, then one at 91 %', peaks: [full, { ...roomy, fillRatio: 0.91 }], want: 1 },
  { name: 'a full block, then an unknown limit', peaks: [full, { ...roomy, limitMiB: undefined }], want: 1 },
  { name: 'a full block, then an unknown fill', peaks: [full, { ...roomy, fillRatio: undefined }], want: 1 },
  {
    name: 'a full block, then room in a smaller share',
    peaks: [full, { ...roomy, limitMiB: 5000 }],
    want: 1
  },
  {
    name: 'a full block, then room in the same share',
    peaks: [full, { ...roomy, limitMiB: 10_000 }],
    want: 0
  },
  { name: 'an exit, then room in the same share', peaks: [exited, { ...roomy, limitMiB: 10_000 }], want: 1 },
  { name: 'an exit, then room in a larger share', peaks: [exited, roomy], want: 0 },
  { name: 'two full blocks', peaks: [full, { ...full, dayMs: 2 * DAY }], want: 2 }
]
for (const { name, peaks, seasonBlocks = 1, want } of cases) {
  t.test(`${name}: ${want} still cut off`, async (t) => {
    t.equal(censoredBlocks(peaks, seasonBlocks).size, want)
  })
}

t.test('a cut-off block proves a need of its limit, a confirmed one its peak', async (t) => {
  t.equal(provenNeedMiB(exited, true), 10_000)
  t.equal(provenNeedMiB(exited, false), 9700)
  t.equal(provenNeedMiB(aPeak({ cutOffMiB: Number.POSITIVE_INFINITY }), true), 5000)
})
