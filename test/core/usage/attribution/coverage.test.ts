import t from 'tap'
import { coverageSeconds, sampleSpacingSeconds } from '../../../../src/core/usage/attribution/coverage.ts'
import { aSeries, DAY, FIRST_DAY, HOUR } from '../../../build/attribution.ts'

t.test('[USE19] the spacing of samples is that of the densest day', async (t) => {
  const whole = aSeries({
    days: [
      { max: 1, samples: 5760 },
      { day: 1, max: 1, samples: 100 }
    ]
  })
  const short = aSeries({ days: [{ max: 1, samples: 20 }] })
  const cases = [
    {
      name: 'a day that was measured throughout',
      series: [whole, short],
      nowMs: FIRST_DAY + 2 * DAY,
      want: 15
    },
    { name: 'never more than a minute', series: [short], nowMs: FIRST_DAY + DAY, want: 60 },
    {
      name: 'a day that is not over',
      series: [aSeries({ days: [{ max: 1, samples: 120 }] })],
      nowMs: FIRST_DAY + HOUR,
      want: 30
    },
    {
      name: 'compute tells nothing',
      series: [aSeries({ metric: 'sm-active', days: [{ max: 1 }] })],
      nowMs: FIRST_DAY + DAY,
      want: 60
    },
    { name: 'a day that has not begun', series: [whole], nowMs: FIRST_DAY - 1, want: 60 }
  ]
  for (const { name, series, nowMs, want } of cases) {
    t.test(name, async (t) => {
      t.equal(sampleSpacingSeconds(series, nowMs), want)
    })
  }
})

t.test('[USE19] a day is covered by as much as its samples show', async (t) => {
  const day = { dayMs: FIRST_DAY, max: 1 }
  const span = { firstMs: FIRST_DAY, lastMs: FIRST_DAY + HOUR }
  const cases = [
    { name: 'by the number of samples', day: { ...day, samples: 2880 }, want: 86_400 },
    { name: 'no more than a day', day: { ...day, samples: 9999 }, want: 86_400 },
    { name: 'no more than from first to last', day: { ...day, ...span, samples: 2880 }, want: 3630 },
    { name: 'a gap between first and last', day: { ...day, ...span, samples: 60 }, want: 1800 },
    { name: 'from first to last, where they were not counted', day: { ...day, ...span }, want: 3600 },
    { name: 'nothing known', day, want: 0 }
  ]
  for (const { name, day, want } of cases) {
    t.test(name, async (t) => {
      t.equal(coverageSeconds(day, 30), want)
    })
  }
})
