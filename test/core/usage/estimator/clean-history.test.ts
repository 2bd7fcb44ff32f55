import t from 'tap'
import type { BlockPeak } from '../../../../src/core/usage/estimator/block-peaks.ts'
import { cleanBlocksOf } from '../../../../src/core/usage/estimator/clean-history.ts'
import { defaultSettings } from '../../../../src/core/usage/estimator/settings.ts'
import { aPeak, DAY } from './build.ts'

const part = { coveredRatio: 0.25 }

const cases: readonly { name: string; peaks: readonly BlockPeak[]; want: number }[] = [
  { name: 'nothing', peaks: [], want: 0 },
  {
    name: 'a quarter on each of two edges',
    peaks: [aPeak({ day: 8, ...part }), aPeak({ day: 9, ...part })],
    want: 0.5
  },
  {
    name: 'a nightly job of three runs',
    peaks: [aPeak({ day: 5, ...part }), aPeak({ day: 6, ...part }), aPeak({ day: 7, ...part })],
    want: 2.25
  },
  { name: 'a day that was cut off', peaks: [aPeak({ day: 6 }), aPeak({ day: 7, cutOffMiB: 5000 })], want: 1 },
  {
    name: 'a day with two images',
    peaks: [aPeak({ day: 6, coveredRatio: 0.25 }), aPeak({ day: 6, image: 'v2', coveredRatio: 0.75 })],
    want: 0.75
  },
  {
    name: 'a day with two images, one cut off',
    peaks: [aPeak({ day: 6, cutOffMiB: 1 }), aPeak({ day: 6, image: 'v2' })],
    want: 0
  }
]
for (const { name, peaks, want } of cases) {
  t.test(`${name}: ${want} days`, async (t) => {
    t.equal(cleanBlocksOf(peaks, { nowMs: 9.25 * DAY, settings: defaultSettings }), want)
  })
}
