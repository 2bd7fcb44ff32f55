import t from 'tap'
import { peakOf } from '../../../../src/core/usage/estimator/peak.ts'
import { defaultSettings } from '../../../../src/core/usage/estimator/settings.ts'
import { aPeak, DAY } from './build.ts'

const scope = { image: 'v2', nowMs: 10 * DAY, settings: defaultSettings }
const old = [aPeak({ day: 6, peakMiB: 9000, peakAtMs: 7 }), aPeak({ day: 7 })]

t.test('knows nothing without blocks', async (t) => {
  t.equal(peakOf([], scope), undefined)
})

t.test('a new image keeps the old peak as a floor, and its history counts', async (t) => {
  const want = { peakMiB: 9000, peakAtMs: 7, cleanBlocks: 2, censored: 0 }
  t.strictSame(peakOf(old, scope), want)

  const partly = aPeak({ day: 9, image: 'v2', peakMiB: 4000, coveredRatio: 0.5 })
  t.strictSame(peakOf([...old, partly], scope), { ...want, cleanBlocks: 3 })
})

t.test('a new image may raise the peak at once', async (t) => {
  const higher = aPeak({ day: 9, image: 'v2', peakMiB: 12_000, coveredRatio: 0.5 })

  t.equal(peakOf([...old, higher], scope)?.peakMiB, 12_000)
})

t.test('the old peak is forgotten after a season of the new image', async (t) => {
  const settled = aPeak({ day: 9, image: 'v2', peakMiB: 4000 })

  const want = { peakMiB: 4000, peakAtMs: undefined, cleanBlocks: 1, censored: 0 }
  t.strictSame(peakOf([...old, settled], scope), want)
})

t.test('a cut-off block counts as its limit', async (t) => {
  const full = aPeak({ day: 8, image: 'v2', peakMiB: 9600, cutOffMiB: 10_000 })

  const peak = peakOf([full, aPeak({ day: 9, image: 'v2' })], {
    ...scope,
    settings: { ...defaultSettings, seasonBlocks: 7 }
  })

  t.strictSame([peak?.peakMiB, peak?.censored], [10_000, 1])
})
