import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { cover } from '../../../src/core/pack/cover.ts'
import type { CoveringProgram } from '../../../src/core/pack/covering-program.ts'
import { holds } from '../../property/holds.ts'

/** Columns of cost 1, each a list of what it adds to rows. */
function program(columns: readonly (readonly number[])[], demand: readonly number[]): CoveringProgram {
  return {
    demand,
    columns: columns.map((amounts) => ({
      cost: 1,
      isWhole: true,
      adds: amounts.flatMap((amount, row) => (amount === 0 ? [] : [[row, amount] as const]))
    }))
  }
}

/** Two triangles: half of each edge covers a corner, so 3 would do in parts, and 4 are needed. */
const triangles = program(
  [
    [1, 1, 0, 0, 0, 0],
    [0, 1, 1, 0, 0, 0],
    [1, 0, 1, 0, 0, 0],
    [0, 0, 0, 1, 1, 0],
    [0, 0, 0, 0, 1, 1],
    [0, 0, 0, 1, 0, 1]
  ],
  [1, 1, 1, 1, 1, 1]
)

t.test('[PACK6] prices prove the answer where the relaxation rounded up is reached', (t) => {
  const found = cover(program([[2], [3]], [7]), 100)

  t.match(found, { kind: 'covered', cost: 3, bound: 3, byPrices: { denominator: 3, prices: [1] } })
  t.end()
})

t.test('[PACK6] a search proves the answer where the prices do not', (t) => {
  t.match(cover(triangles, 100), { kind: 'covered', cost: 4, bound: 4, byPrices: undefined })
  t.end()
})

t.test('[PACK6] a search that is cut short says what is proved, and keeps the best that it found', (t) => {
  const found = cover(triangles, 8)

  t.match(found, {
    kind: 'covered',
    cost: 4,
    bound: 3,
    byPrices: { denominator: 4, prices: [2, 2, 2, 2, 2, 2] }
  })
  t.strictSame(cover(triangles, 2), { kind: 'undecided', bound: 3, steps: 2 })
  t.end()
})

t.test('[PACK8] what no number of columns covers is told apart from what no whole number covers', (t) => {
  const none = cover(program([[1, -1]], [3, -2]), 100)
  const onlyInParts = cover(
    program(
      [
        [2, -2],
        [2, -2]
      ],
      [1, -1]
    ),
    100
  )

  t.match(none, { kind: 'no-cover', byPrices: { denominator: 0, prices: [1, 1] } })
  t.match(onlyInParts, { kind: 'no-cover', byPrices: undefined })
  t.end()
})

t.test('[PACK8] numbers beyond those that are exact leave it undecided', (t) => {
  t.strictSame(cover(program([[2 ** 40]], [2 ** 80]), 100), { kind: 'undecided', bound: 0, steps: 1 })
  t.end()
})

/** Least cost by counting up, for small programs. */
function leastByHand({ columns, demand }: CoveringProgram, most: number): number {
  const visit = (from: number, left: readonly number[], taken: number): number => {
    if (left.every((want) => want <= 0)) return taken
    if (taken === most) return Infinity
    return Math.min(
      Infinity,
      ...columns.slice(from).map(({ adds }, index) => {
        const next = [...left]
        for (const [row, amount] of adds) next[row] = (next[row] ?? 0) - amount
        return visit(from + index, next, taken + 1)
      })
    )
  }
  return visit(0, demand, 0)
}

t.test('[PACK5] the cost is the least there is, on programs of any shape', (t) => {
  const columns = fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 4 }), {
    minLength: 1,
    maxLength: 5
  })
  const demand = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 4 })
  holds(
    fc.property(columns, demand, (amounts, wanted) => {
      const given = program(amounts, wanted)
      const found = cover(given, 10_000)
      const want = leastByHand(given, 12)

      assert.equal(found.kind === 'covered' ? found.cost : Infinity, want)
      if (found.kind === 'covered') assert.equal(found.bound, want)
    }),
    400
  )
  t.end()
})
