import t from 'tap'
import { allPeaksOf, pastDecisionsOf } from '../../../../src/core/usage/estimator/past-decisions.ts'
import { defaultSettings } from '../../../../src/core/usage/estimator/settings.ts'
import { aBlock, aHistory, anInput, DAY, dailyBlocks } from './build.ts'

const settings = { ...defaultSettings, horizonBlocks: 2 }

function at(day: number): { readonly nowMs: number; readonly settings: typeof settings } {
  return { nowMs: day * DAY, settings }
}

t.test('judges the end of each day by the days of the horizon, once that is over', async (t) => {
  const decisions = pastDecisionsOf(anInput(dailyBlocks([1000, 2000, 1000, 3000])), at(4))

  t.strictSame(decisions, [
    { atMs: DAY, cleanBlocks: 1, ratio: 2, isLowerBound: false },
    { atMs: 2 * DAY, cleanBlocks: 2, ratio: 1.5, isLowerBound: false }
  ])
})

t.test('a later need that was cut off is a lower bound, and no decision stands on it', async (t) => {
  const blocks = [
    aBlock({ day: 0, peakMiB: 5000 }),
    aBlock({ day: 1, peakMiB: 9900, limitMiB: 9984, device: 'mig' }),
    aBlock({ day: 2, peakMiB: 9900, limitMiB: 9984, device: 'mig' }),
    aBlock({ day: 3, peakMiB: 9900, limitMiB: 9984, device: 'mig' })
  ]

  t.strictSame(pastDecisionsOf(anInput(blocks), at(5)), [
    { atMs: DAY, cleanBlocks: 1, ratio: 9984 / 5000, isLowerBound: true }
  ])
})

t.test('nothing is judged where nothing ran, before or after', async (t) => {
  t.strictSame(pastDecisionsOf(anInput([aBlock({ day: 0 })]), at(10)), [])
  t.strictSame(pastDecisionsOf(anInput(dailyBlocks([0, 10, 10])), at(3)), [])
  t.strictSame(pastDecisionsOf(anInput([]), at(10)), [])
})

t.test('a new image is judged by the floor that it had', async (t) => {
  const current = aHistory([aBlock({ day: 2, peakMiB: 3000 }), aBlock({ day: 3, peakMiB: 3000 })], 'v2')
  const earlier = [aHistory(dailyBlocks([2000, 2000]))]

  const ratios = pastDecisionsOf({ current, earlier }, at(4)).map(({ ratio }) => ratio)

  t.strictSame(ratios, [1.5, 1.5])
})

t.test('joins the images by day, then by name', async (t) => {
  const input = {
    current: aHistory([aBlock({ day: 1 }), aBlock({ day: 2 })], 'b'),
    earlier: [
      aHistory([aBlock({ day: 1 }), aBlock({ day: 0 })], 'c'),
      aHistory([aBlock({ day: 1 })], 'a'),
      aHistory([aBlock({ day: 1 })], 'a')
    ]
  }

  const peaks = allPeaksOf(input, at(5))

  t.strictSame(
    peaks.map(({ dayMs, image }) => `${dayMs / DAY}${image}`),
    ['0c', '1a', '1a', '1b', '1c', '2b']
  )
})

t.test('the lookback ends with the newest block, so that silence forgets nothing', async (t) => {
  const input = anInput(dailyBlocks(Array.from({ length: 40 }, () => 1000)))

  const days = allPeaksOf(input, at(100)).map(({ dayMs }) => dayMs / DAY)

  t.strictSame([days.length, days[0], days.at(-1)], [28, 12, 39])
})
