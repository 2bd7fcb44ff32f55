import fc from 'fast-check'
import t from 'tap'
import {
  type SizeLook,
  type SizeState,
  settleSize,
  sizeFloorMiB,
  sizeFor
} from '../../../../src/core/usage/estimator/hysteresis.ts'
import { defaultSettings as settings } from '../../../../src/core/usage/estimator/settings.ts'
import { holds } from '../../../property/holds.ts'
import { DAY, SIZES } from './build.ts'

const scope = { sizes: SIZES, settings }
const start: SizeState = { heldMiB: undefined, changedMs: undefined, checks: [] }

function aCheck(day: number, peakMiB: number): SizeLook {
  const neededMiB = peakMiB * 1.2
  return {
    nowMs: day * DAY,
    dayMs: (day - 1) * DAY,
    peakMiB,
    neededMiB,
    raiseMiB: neededMiB,
    isBlocked: false
  }
}

function after(looks: readonly SizeLook[], from = start): SizeState {
  return looks.reduce((state, look) => settleSize(state, look, scope), from)
}

function checksOf(peaksMiB: readonly number[]): readonly SizeLook[] {
  return peaksMiB.map((peakMiB, index) => aCheck(index + 1, peakMiB))
}

const days = (count: number): readonly number[] => Array.from({ length: count }, () => 5000)

t.test('shrinks at the seventh check that a smaller size held', async (t) => {
  t.equal(after(checksOf(days(6))).heldMiB, undefined)
  const shrunk = after(checksOf(days(7)))
  t.strictSame([shrunk.heldMiB, shrunk.changedMs, shrunk.checks.length], [9984, 7 * DAY, 7])
})

t.test('the highest peak of the row decides, with the headroom of now', async (t) => {
  const peaks = [5000, 5000, 12_000, 5000, 5000, 5000, 5000]

  t.equal(after(checksOf(peaks)).heldMiB, 20_096)
})

t.test('without any use the smallest size is held', async (t) => {
  t.equal(after(checksOf([0, 0, 0, 0, 0, 0, 0])).heldMiB, 9984)
})

t.test('something that forbids to shrink ends the row', async (t) => {
  const looks = checksOf(days(8)).map((look, index) => (index === 4 ? { ...look, isBlocked: true } : look))

  const state = after(looks)

  t.strictSame([state.heldMiB, state.checks.length], [undefined, 3])
})

t.test('a look between checks neither counts nor shrinks', async (t) => {
  const between = { ...aCheck(30, 5000), dayMs: undefined }

  t.strictSame(after([between]), start)
  t.equal(after([between], { ...start, checks: after(checksOf(days(7))).checks }).heldMiB, undefined)
})

t.test('steps up at once, also between checks', async (t) => {
  const small: SizeState = { heldMiB: 9984, changedMs: undefined, checks: [] }

  const raised = after([{ ...aCheck(3, 9000), dayMs: undefined }], small)

  t.strictSame([raised.heldMiB, raised.changedMs], [20_096, 3 * DAY])
})

t.test('does not call it a change when even the largest is too small', async (t) => {
  t.equal(after([{ ...aCheck(3, 90_000), dayMs: undefined }]).changedMs, undefined)
})

t.test('nothing shrinks within seven days of a change', async (t) => {
  const held: SizeState = { heldMiB: 40_320, changedMs: 2 * DAY, checks: [] }

  t.equal(after(checksOf(days(8)), held).heldMiB, 40_320)
  t.equal(after(checksOf(days(9)), held).heldMiB, 9984)
})

t.test('a size that saves no memory slot is no reason to change', async (t) => {
  const sizes = [
    { usableMiB: 40_320, memorySlots: 4 },
    { usableMiB: 40_448, memorySlots: 4 }
  ]
  const held: SizeState = { heldMiB: 40_448, changedMs: undefined, checks: [] }

  const state = checksOf(days(9)).reduce((now, look) => settleSize(now, look, { sizes, settings }), held)

  t.equal(state.heldMiB, 40_448)
})

t.test('without sizes everything stays as it is', async (t) => {
  t.equal(settleSize(start, aCheck(1, 5000), { sizes: [], settings }), start)
  t.equal(sizeFor([], 1), undefined)
  t.equal(sizeFloorMiB(start, []), 0)
})

t.test('the floor is more than the next smaller size', async (t) => {
  t.equal(sizeFloorMiB({ ...start, heldMiB: 20_096 }, SIZES), 9985)
  t.equal(sizeFloorMiB({ ...start, heldMiB: 9984 }, SIZES), 0)
  t.equal(sizeFloorMiB(start, SIZES), 40_321)
})

t.test('law: at the same state a higher peak never gives a smaller size', async () => {
  const mib = fc.integer({ min: 0, max: 90_000 })
  const states = fc.record({
    heldMiB: fc.constantFrom(undefined, 9984, 20_096, 40_320, 81_152),
    changedMs: fc.option(fc.integer({ min: 0, max: 9 * DAY }), { nil: undefined }),
    checks: fc
      .array(mib, { maxLength: 7 })
      .map((peaks) => peaks.map((peakMiB, day) => ({ dayMs: day * DAY, peakMiB })))
  })
  holds(
    fc.property(states, mib, mib, fc.boolean(), (state, peakMiB, moreMiB, isCheck) => {
      const heldWith = (peak: number): number => {
        const look = aCheck(9, peak)
        return settleSize(state, isCheck ? look : { ...look, dayMs: undefined }, scope).heldMiB ?? 81_152
      }
      return heldWith(peakMiB + moreMiB) >= heldWith(peakMiB)
    }),
    500
  )
})
