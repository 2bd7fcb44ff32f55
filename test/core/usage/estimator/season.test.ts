import t from 'tap'
import { seasonBlocksOf } from '../../../../src/core/usage/estimator/season.ts'
import { defaultSettings } from '../../../../src/core/usage/estimator/settings.ts'
import { aPeak } from './build.ts'

const cases: readonly { name: string; peaksMiB: readonly number[]; want: number }[] = [
  { name: 'nothing', peaksMiB: [], want: 1 },
  { name: 'the same every day', peaksMiB: [5, 5, 5, 5, 5, 5, 5, 5, 5], want: 1 },
  { name: 'one spike', peaksMiB: [9, 5, 5, 5, 5, 5, 5, 5, 5], want: 1 },
  { name: 'a spike a week', peaksMiB: [9, 5, 5, 5, 5, 5, 5, 9, 5], want: 7 },
  { name: 'a spike a week, with restless days', peaksMiB: [9, 5, 5, 8, 5, 5, 5, 9, 5], want: 1 },
  { name: 'two spikes on other weekdays', peaksMiB: [9, 5, 5, 9, 5, 5, 5, 5, 5], want: 1 }
]
for (const { name, peaksMiB, want } of cases) {
  t.test(`${name}: a season of ${want}`, async (t) => {
    const peaks = peaksMiB.map((peakMiB, day) => aPeak({ day, peakMiB }))

    t.equal(seasonBlocksOf(peaks, defaultSettings), want)
  })
}

t.test('days without samples between two spikes of one weekday do not make a week', async (t) => {
  t.equal(seasonBlocksOf([aPeak({ day: 0 }), aPeak({ day: 7 })], defaultSettings), 1)
})
