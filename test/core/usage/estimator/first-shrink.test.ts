import t from 'tap'
import type { UsageBlock } from '../../../../src/core/usage/block.ts'
import { type EstimatorState, emptyState, estimate } from '../../../../src/core/usage/estimator/estimate.ts'
import { aBlock, aHistory, anInput, aScope, dailyBlocks } from './build.ts'

const LOW_MIB = 3000
const SPIKE_MIB = 15_000

/** Four weeks of a low use with a spike on one day of each week. */
function weekly(spikeDay: number, days = 28): readonly UsageBlock[] {
  return dailyBlocks(Array.from({ length: days }, (_, day) => (day % 7 === spikeDay ? SPIKE_MIB : LOW_MIB)))
}

/** Sizes in force at the end of each day, undefined for the whole GPU; every look goes on from the one before. */
function sizesByDay(blocks: readonly UsageBlock[], days: number): readonly (number | undefined)[] {
  let state: EstimatorState = emptyState
  return Array.from({ length: days }, (_, index) => {
    const seen = blocks.filter(({ dayMs }) => dayMs < aScope(index + 1).nowMs)
    state = estimate(anInput(seen), state, aScope(index + 1)).state
    return state.size.heldMiB
  })
}

for (const spikeDay of [0, 1, 2, 3, 4, 5, 6]) {
  t.test(`[EST9] a spike on day ${spikeDay} of each week is seen before anything shrinks`, async (t) => {
    const sizes = sizesByDay(weekly(spikeDay), 28)

    t.strictSame(new Set(sizes.slice(0, 6)), new Set([undefined]))
    t.strictSame(
      sizes.slice(6).filter((miB) => miB !== undefined && miB < SPIKE_MIB * 1.2),
      [],
      'no size in force is smaller than what the spike needs'
    )
    t.equal(sizes.at(-1), 20_096, 'and it does shrink')
  })
}

t.test('[EST9] nothing shrinks within a day, whatever it shows', async (t) => {
  const { estimate: found, state } = estimate(
    anInput([aBlock({ day: 0, peakMiB: 100, coverageSeconds: 23 * 3600 })]),
    emptyState,
    aScope(0.96)
  )

  t.equal(found.obstacle, 'under-one-season')
  t.equal(state.size.heldMiB, undefined)
})

t.test('[EST9] days without samples do not make a week', async (t) => {
  const sixDays = weekly(6).filter(({ dayMs }) => dayMs < aScope(6).nowMs)
  let state: EstimatorState = emptyState
  for (const day of [6, 7, 20]) state = estimate(anInput(sixDays), state, aScope(day)).state

  t.equal(state.size.heldMiB, undefined)
})

t.test('[EST9] a new image between two spikes does not shrink before its own spike', async (t) => {
  const spikeDay = 1
  const changeDay = 16
  const all = weekly(spikeDay, 21)
  const old = all.filter(({ dayMs }) => dayMs < aScope(changeDay).nowMs)
  const fresh = all.filter(({ dayMs }) => dayMs >= aScope(changeDay).nowMs)
  let state = estimate(anInput(old), emptyState, aScope(changeDay)).state
  const held = state.size.heldMiB
  for (let day = changeDay + 1; day <= 21; day += 1) {
    const blocks = fresh.filter(({ dayMs }) => dayMs < aScope(day).nowMs)
    const input = { current: aHistory(blocks, 'v2'), earlier: [aHistory(old)] }
    state = estimate(input, state, aScope(day)).state

    t.equal(state.size.heldMiB, held, `day ${day}`)
  }
  t.equal(held, 20_096)
})

t.test('[EST9] a peak of four weeks ago still counts, one of before that does not', async (t) => {
  const blocks = dailyBlocks([SPIKE_MIB, ...Array.from({ length: 40 }, () => LOW_MIB)])
  const peakAfter = (days: number): number =>
    estimate(anInput(blocks.filter(({ dayMs }) => dayMs < aScope(days).nowMs)), emptyState, aScope(days))
      .estimate.peakMiB

  t.strictSame([peakAfter(27), peakAfter(30)], [SPIKE_MIB, LOW_MIB])
})
