import fc from 'fast-check'
import t from 'tap'
import {
  learnHeadroom,
  RUNGS_FROM_BLOCKS,
  rungFor
} from '../../../../src/core/usage/estimator/learnt-headroom.ts'
import type { PastDecision } from '../../../../src/core/usage/estimator/past-decisions.ts'
import { defaultSettings as settings } from '../../../../src/core/usage/estimator/settings.ts'
import { holds } from '../../../property/holds.ts'
import { DAY } from './build.ts'

/** As many decisions on each day as there are ratios, all on this much history. */
function decisionsOn(
  days: readonly number[],
  cleanBlocks: number,
  ratios: readonly number[]
): readonly PastDecision[] {
  return days.flatMap((day) =>
    ratios.map((ratio) => ({ atMs: day * DAY, cleanBlocks, ratio, isLowerBound: false }))
  )
}

const spread = Array.from({ length: 20 }, (_, index) => 1 + index / 100)

t.test('learns nothing from nothing', async (t) => {
  const want = RUNGS_FROM_BLOCKS.map((fromBlocks) => ({ fromBlocks, decisions: 0, isMatched: false }))

  t.strictSame(learnHeadroom([], settings), { riskRatio: 0.05, rungs: want })
})

t.test('pools decision times from four on, on equal histories where there are enough', async (t) => {
  const learnt = learnHeadroom(
    [...decisionsOn([1, 2, 3, 4], 1, [1.8, 1.9]), ...decisionsOn([7, 8, 9, 10], 7, spread)],
    settings
  )

  t.strictSame(rungFor(learnt.rungs, 8), { fromBlocks: 7, factor: 1.19, decisions: 80, isMatched: true })
  t.strictSame(rungFor(learnt.rungs, 30), { fromBlocks: 21, factor: 1.19, decisions: 80, isMatched: false })
  t.strictSame(rungFor(learnt.rungs, 1), { fromBlocks: 1, decisions: 8, isMatched: false })
  t.equal(rungFor(learnt.rungs, 0.5), undefined)
})

t.test('shorter histories join where there are too few', async (t) => {
  const learnt = learnHeadroom(
    [...decisionsOn([1, 2, 3], 1, spread), ...decisionsOn([4], 3, spread)],
    settings
  )

  t.match(rungFor(learnt.rungs, 3), { decisions: 80, isMatched: false })
})

t.test('below four decision times the worst one counts', async (t) => {
  const worse = spread.map((ratio) => ratio + 1)

  const learnt = learnHeadroom([...decisionsOn([1], 1, spread), ...decisionsOn([2], 1, worse)], settings)

  t.match(rungFor(learnt.rungs, 1), { factor: 2.19, decisions: 40, isMatched: false })
})

t.test('ratios that are no number and histories of hours are left out', async (t) => {
  const learnt = learnHeadroom(
    decisionsOn([1, 2, 3, 4], 1, [...spread, Number.NaN, Number.POSITIVE_INFINITY]),
    settings
  )

  t.match(rungFor(learnt.rungs, 1), { factor: 1.19, decisions: 80 })
  t.strictSame(learnHeadroom(decisionsOn([1, 2, 3, 4], 0.5, spread), settings), learnHeadroom([], settings))
})

t.test('aims lower after factors were passed too often, and says how often', async (t) => {
  const calm = decisionsOn([1, 2, 3, 4], 7, spread)
  const worse = decisionsOn([14], 7, [...spread.slice(0, 15), 2, 2, 2, 2, 2])

  const learnt = learnHeadroom([...calm, ...worse], settings)

  t.equal(learnt.observedRatio, 0.25)
  t.equal(Math.round(learnt.riskRatio * 1000), 30)
})

t.test('never aims higher than stated, nor below a tenth of it', async (t) => {
  const calm = decisionsOn([1, 2, 3, 4, 14, 15], 7, spread)
  const awful = decisionsOn(
    [14],
    7,
    spread.map((ratio) => ratio + 2)
  )

  t.equal(learnHeadroom(calm, settings).riskRatio, 0.05)
  t.equal(
    learnHeadroom([...decisionsOn([1, 2, 3, 4], 7, spread), ...awful], settings).riskRatio.toFixed(6),
    '0.005000'
  )
})

const decisions = fc.array(
  fc.record({
    atMs: fc.integer({ min: 0, max: 28 }).map((day) => day * DAY),
    cleanBlocks: fc.integer({ min: 0, max: 28 }),
    ratio: fc.double({ min: 0.2, max: 3, noNaN: true }),
    isLowerBound: fc.boolean()
  }),
  { maxLength: 120 }
)

t.test('the order of decisions does not matter', async (t) => {
  holds(
    fc.property(decisions, (all) => {
      t.strictSame(learnHeadroom([...all].reverse(), settings), learnHeadroom(all, settings))
    }),
    50
  )
})

t.test('what is learnt is plain JSON', async (t) => {
  holds(
    fc.property(decisions, (all) => {
      const learnt = learnHeadroom(all, settings)
      t.strictSame(JSON.parse(JSON.stringify(learnt)), learnt)
    }),
    50
  )
})
