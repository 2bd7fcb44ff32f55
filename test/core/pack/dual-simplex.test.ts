import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { type CoveringProgram, reachOf } from '../../../src/core/pack/covering-program.ts'
import { relax } from '../../../src/core/pack/dual-simplex.ts'
import { holds } from '../../property/holds.ts'

/** Rows of amounts, one a column. */
function program(
  costs: readonly number[],
  amounts: readonly (readonly number[])[],
  demand: readonly number[]
): CoveringProgram {
  return {
    demand,
    columns: costs.map((cost, index) => ({
      cost,
      isWhole: true,
      adds: (amounts[index] ?? []).flatMap((amount, row) => (amount === 0 ? [] : [[row, amount] as const]))
    }))
  }
}

t.test('finds cost and prices of a program that fits on a hand', (t) => {
  t.strictSame(relax(program([1, 1], [[2], [3]], [7])), {
    kind: 'solved',
    denominator: 3,
    counts: [0, 7],
    cost: 7,
    prices: [1]
  })
  t.strictSame(relax(program([1], [[1]], [0])), {
    kind: 'solved',
    denominator: 1,
    counts: [0],
    cost: 0,
    prices: [0]
  })
  t.end()
})

t.test('gives prices that show that nothing reaches the demand', (t) => {
  const found = relax(
    program(
      [1, 1],
      [
        [1, -1],
        [0, -1]
      ],
      [3, -2]
    )
  )

  t.strictSame(found, { kind: 'no-cover', prices: [1, 1] })
  t.end()
})

t.test('says that numbers are too large, rather than answer with rounded ones', (t) => {
  const large = 2 ** 40
  t.strictSame(relax(program([1], [[large]], [large * large])), { kind: 'too-large' })
  t.strictSame(
    relax(
      program(
        [1, 1],
        [
          [large, 1],
          [1, large]
        ],
        [large, large]
      )
    ),
    { kind: 'too-large' }
  )
  t.end()
})

const programs = fc
  .record({ columns: fc.integer({ min: 1, max: 9 }), rows: fc.integer({ min: 1, max: 6 }) })
  .chain(({ columns, rows }) =>
    fc.record({
      costs: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: columns, maxLength: columns }),
      amounts: fc.array(fc.array(fc.integer({ min: -2, max: 4 }), { minLength: rows, maxLength: rows }), {
        minLength: columns,
        maxLength: columns
      }),
      demand: fc.array(fc.integer({ min: -20, max: 200 }), { minLength: rows, maxLength: rows })
    })
  )

t.test('prices prove cost, and cost proves prices, in whole numbers', (t) => {
  holds(
    fc.property(programs, ({ costs, amounts, demand }) => {
      const given = program(costs, amounts, demand)
      const found = relax(given)
      assert.notEqual(found.kind, 'too-large')
      if (found.kind === 'too-large') return
      const earned = amounts.map((column) =>
        column.reduce((sum, amount, row) => sum + amount * (found.prices[row] ?? 0), 0)
      )
      const paid = demand.reduce((sum, want, row) => sum + want * (found.prices[row] ?? 0), 0)
      assert.ok(found.prices.every((price) => price >= 0))
      if (found.kind === 'no-cover') {
        assert.ok(earned.every((value) => value <= 0) && paid > 0)
        return
      }
      const { denominator, counts, cost } = found
      const reach = reachOf(given.columns, counts, demand.length)
      assert.ok(counts.every((count) => count >= 0))
      assert.ok(reach.every((value, row) => value >= (demand[row] ?? 0) * denominator))
      assert.ok(earned.every((value, column) => value <= (costs[column] ?? 0) * denominator))
      assert.equal(cost, paid)
      assert.equal(
        cost,
        costs.reduce((sum, value, column) => sum + value * (counts[column] ?? 0), 0)
      )
    }),
    2000
  )
  t.end()
})
