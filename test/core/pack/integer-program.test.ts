import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  boundByPrices,
  brokenLimits,
  costOf,
  hasWholeCost,
  type IntegerProgram,
  wholeValues
} from '../../../src/core/pack/integer-program.ts'
import { triangle } from '../../build/triangle.ts'
import { holds } from '../../property/holds.ts'

t.test('[PACK13] an answer is checked against every limit', (t) => {
  t.strictSame(brokenLimits(triangle, [1, 1, 0]), [])
  t.strictSame(brokenLimits(triangle, [1, 0, 0]), ['c'])
  t.strictSame(brokenLimits(triangle, [0, 3, 3]), ['c'])
  t.strictSame(brokenLimits(triangle, [4, 1, 0]), ['ab'])
  t.strictSame(brokenLimits(triangle, [-1, 1, 1]), ['ab', 'a', 'b'])
  t.strictSame(brokenLimits(triangle, [0.5, 0.5, 0.5]), ['ab', 'bc', 'ca'])
  t.equal(costOf(triangle, [1, 1, 0]), 2)
  t.end()
})

t.test('[PACK13] what a solver leaves beside a whole number is made whole, and no more than that', (t) => {
  t.strictSame(wholeValues(triangle, [0.999_999_9, 1e-9, 2]), [1, 0, 2])
  t.strictSame(wholeValues(triangle, [0.999_95, 2e-6, 2]), [1, 0, 2])
  t.equal(wholeValues(triangle, [0.999, 0, 2]), undefined)
  t.equal(wholeValues(triangle, [0.9, 0, 2]), undefined)
  t.equal(wholeValues(triangle, [Number.NaN, 0, 2]), undefined)
  t.end()
})

t.test('[PACK13] an answer is checked however many columns a row has', (t) => {
  const count = 200_000
  const wide: IntegerProgram = {
    columns: Array.from({ length: count }, (_, index) => ({
      name: `c${index}`,
      cost: 1,
      most: 1,
      isWhole: true
    })),
    rows: [
      { name: 'all', least: count, terms: Array.from({ length: count }, (_, index) => [index, 1] as const) }
    ]
  }

  t.strictSame(
    brokenLimits(
      wide,
      Array.from({ length: count }, () => 1)
    ),
    []
  )
  t.strictSame(
    brokenLimits(
      wide,
      Array.from({ length: count }, (_, index) => Number(index > 0))
    ),
    ['all']
  )
  t.end()
})

t.test('[PACK14] prices prove a bound, rounded up where every cost is whole', (t) => {
  const inParts = { ...triangle, columns: triangle.columns.map((column) => ({ ...column, cost: 1.5 })) }

  t.equal(boundByPrices(triangle, [0.5, 0.5, 0.5]), 2)
  t.equal(boundByPrices(inParts, [0.75, 0.75, 0.75]), 2.25)
  t.equal(hasWholeCost(inParts), false)
  t.equal(boundByPrices(triangle, [Number.NaN, Infinity, 0.5]), 1)
  t.end()
})

t.test('[PACK14] whatever prices are given, the bound is one', (t) => {
  const price = fc.double({ min: -3, max: 3, noNaN: true })
  const value = fc.integer({ min: 0, max: 3 })
  const three = <T>(entry: fc.Arbitrary<T>) => fc.array(entry, { minLength: 3, maxLength: 3 })
  holds(
    fc.property(three(price), three(value), (prices, values) => {
      if (brokenLimits(triangle, values).length > 0) return
      assert.ok(boundByPrices(triangle, prices) <= costOf(triangle, values))
    }),
    1000
  )
  t.end()
})
