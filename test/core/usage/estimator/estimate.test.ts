import fc from 'fast-check'
import t from 'tap'
import type { UsageBlock } from '../../../../src/core/usage/block.ts'
import { type EstimatorState, emptyState, estimate } from '../../../../src/core/usage/estimator/estimate.ts'
import type { EstimatorScope } from '../../../../src/core/usage/estimator/find-need.ts'
import { RUNGS_FROM_BLOCKS } from '../../../../src/core/usage/estimator/learnt-headroom.ts'
import { recordStepUp } from '../../../../src/core/usage/estimator/step-up.ts'
import { holds } from '../../../property/holds.ts'
import { aBlock, aHistory, anInput, aScope, DAY, dailyBlocks } from './build.ts'

function heldAfter(blocks: readonly UsageBlock[], day: number, state = emptyState): number | undefined {
  return estimate(anInput(blocks), state, aScope(day)).state.size.heldMiB
}

const fortnight = dailyBlocks(Array.from({ length: 14 }, () => 5000))

t.test('a first look at two weeks of history makes up the checks and shrinks', async (t) => {
  const result = estimate(anInput(fortnight), emptyState, aScope(14))

  t.match(result.estimate, { neededMiB: 6000, sizeFloorMiB: 0, obstacle: undefined })
  t.match(result.state, { size: { heldMiB: 9984, changedMs: 7 * DAY }, checkedMs: 14 * DAY })
})

t.test('looking every hour and looking once give the same size and checks', async (t) => {
  let state: EstimatorState = emptyState
  for (let hour = 0; hour <= 14 * 24; hour += 1) {
    const seen = fortnight.filter(({ dayMs }) => dayMs <= (hour / 24) * DAY)
    state = estimate(anInput(seen), state, aScope(hour / 24)).state
  }

  t.strictSame(state, estimate(anInput(fortnight), emptyState, aScope(14)).state)
})

t.test('six days are not enough, and the running day raises but does not count', async (t) => {
  t.equal(heldAfter(fortnight.slice(0, 6), 6), undefined)
  t.equal(heldAfter(fortnight.slice(0, 7), 6.9), undefined)

  const held = estimate(anInput(fortnight), emptyState, aScope(14)).state
  t.equal(heldAfter([...fortnight, aBlock({ day: 14, peakMiB: 9000 })], 14.1, held), 20_096)
})

t.test('a source that falls silent changes nothing', async (t) => {
  const scope = aScope(5)
  const before = estimate(anInput(fortnight.slice(0, 5)), emptyState, scope)

  const after = estimate(anInput(fortnight.slice(0, 5)), before.state, { ...scope, nowMs: 60 * DAY })

  t.strictSame(after.state, before.state)
  t.strictSame(after.estimate.neededMiB, before.estimate.neededMiB)
  t.strictSame(estimate(anInput([]), before.state, aScope(9)).state, before.state)
})

t.test('a new image keeps the size of the old one', async (t) => {
  const held = estimate(anInput(fortnight), emptyState, aScope(14)).state
  const current = aHistory([], 'v2')

  const result = estimate({ current, earlier: [aHistory(fortnight)] }, held, aScope(14.5))

  t.match(result.estimate, { peakMiB: 5000, obstacle: undefined })
  t.equal(result.state.size.heldMiB, 9984)
})

t.test('grows out of a slice that it fills, and comes back after a season with room', async (t) => {
  const slice = { limitMiB: 9984, device: 'mig' as const }
  const held: EstimatorState = { ...emptyState, size: { ...emptyState.size, heldMiB: 9984 } }
  const filled = dailyBlocks([9950, 9950, 9950], slice)
  t.match(estimate(anInput(filled), held, aScope(3)).estimate, { obstacle: 'censored', neededMiB: 14_976 })
  t.equal(heldAfter(filled, 3, held), 20_096)

  const roomy = Array.from({ length: 9 }, (_, day) =>
    aBlock({ day: day + 3, peakMiB: 7000, limitMiB: 20_096, device: 'mig' })
  )
  const result = estimate(anInput([...filled, ...roomy]), held, aScope(12))
  t.match(result.estimate, { evidence: 'own', peakMiB: 9950, neededMiB: 11_940 })
})

t.test('an exit gives the next size, at once and for as long as the image stays', async (t) => {
  const scope = aScope(14)
  const held = estimate(anInput(fortnight), emptyState, scope).state
  const event = { atMs: 14 * DAY, failedMiB: 9984, evidence: 'message' as const, image: 'v1' }
  const state = { ...held, stepUps: recordStepUp(held.stepUps, event, scope.settings) }

  t.equal(heldAfter(fortnight, 14, state), 20_096)
  t.equal(heldAfter(dailyBlocks(Array.from({ length: 28 }, () => 5000)), 28, state), 20_096)
})

const blocks = fc.array(
  fc.record({
    dayMs: fc.integer({ min: 0, max: 20 }).map((day) => day * DAY),
    pod: fc.constantFrom('a', 'b', 'c'),
    peakMiB: fc.integer({ min: 0, max: 80_000 }),
    peakAtMs: fc.option(fc.nat(), { nil: undefined }),
    peakCompute: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    samples: fc.integer({ min: 1, max: 1440 }),
    coverageSeconds: fc.integer({ min: 0, max: 86_400 }),
    limitMiB: fc.constantFrom(undefined, 9984, 20_096, 81_152),
    device: fc.constantFrom('whole' as const, 'mig' as const, 'process' as const),
    outOfMemory: fc.boolean()
  }),
  { maxLength: 30 }
)
const factors = fc.array(fc.double({ min: 0.8, max: 3, noNaN: true }), { minLength: 8, maxLength: 8 })
const learnt = factors.map((all) => ({
  riskRatio: 0.05,
  rungs: RUNGS_FROM_BLOCKS.map((fromBlocks, rung) => ({
    fromBlocks,
    factor: all[rung] ?? 1,
    decisions: 50,
    isMatched: true
  }))
}))
const scopes: fc.Arbitrary<EstimatorScope> = fc
  .tuple(fc.integer({ min: 0, max: 30 }), fc.option(learnt, { nil: undefined }))
  .map(([day, taught]) => aScope(day, { learnt: taught }))

t.test('law: shuffled blocks give the same answer', async (t) => {
  holds(
    fc.property(blocks, scopes, fc.array(fc.nat(), { minLength: 30, maxLength: 30 }), (all, scope, keys) => {
      const shuffled = all
        .map((block, index) => ({ block, key: keys[index] ?? 0 }))
        .sort((a, b) => a.key - b.key)
      const other = anInput(shuffled.map(({ block }) => block))
      t.strictSame(estimate(other, emptyState, scope), estimate(anInput(all), emptyState, scope))
    })
  )
})

t.test('law: a higher sample never asks for less', async () => {
  holds(
    fc.property(
      blocks,
      scopes,
      fc.nat(),
      fc.integer({ min: 1, max: 50_000 }),
      (all, scope, pick, moreMiB) => {
        const raised = all.map((block, index) =>
          index === pick % all.length ? { ...block, peakMiB: block.peakMiB + moreMiB } : block
        )
        const before = estimate(anInput(all), emptyState, scope).estimate
        return estimate(anInput(raised), emptyState, scope).estimate.neededMiB >= before.neededMiB
      }
    ),
    500
  )
})

t.test('law: one more block that was cut off never asks for less', async () => {
  holds(
    fc.property(blocks, scopes, fc.integer({ min: 0, max: 20 }), (all, scope, day) => {
      const cutOff = aBlock({
        day,
        pod: 'd',
        peakMiB: 9900,
        limitMiB: 9984,
        device: 'mig',
        coverageSeconds: 0
      })
      const before = estimate(anInput(all), emptyState, { ...scope, nowMs: 30 * DAY }).estimate
      const after = estimate(anInput([...all, cutOff]), emptyState, { ...scope, nowMs: 30 * DAY }).estimate
      return after.neededMiB >= before.neededMiB
    }),
    500
  )
})

t.test('law: state is plain JSON, below 1 KiB, and looking again changes nothing', async (t) => {
  holds(
    fc.property(blocks, scopes, (all, scope) => {
      const { state } = estimate(anInput(all), emptyState, scope)
      const text = JSON.stringify(state)
      const read: unknown = JSON.parse(text)
      t.match(state, read)
      t.ok(text.length < 1024)
      t.strictSame(estimate(anInput(all), state, scope).state, state)
    })
  )
})

t.test('law: numbers that make no sense do not make it throw', async (t) => {
  const wild = fc.record({
    dayMs: fc.double(),
    pod: fc.string(),
    peakMiB: fc.double(),
    peakAtMs: fc.constant(undefined),
    peakCompute: fc.double(),
    samples: fc.double(),
    coverageSeconds: fc.double(),
    limitMiB: fc.double(),
    device: fc.constant('whole' as const),
    outOfMemory: fc.boolean()
  })
  holds(
    fc.property(fc.array(wild), fc.double(), (all, nowMs) => {
      t.ok(estimate(anInput(all), emptyState, { ...aScope(0), nowMs }))
    })
  )
})
