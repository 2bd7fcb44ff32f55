import t from 'tap'
import { gainOf, unitOf } from '../../../../src/core/plan/frontier/gains.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { aDrain, classesIn, programIn, type ShortAsk, tellColumn, twoCards } from './drain-case.ts'

/** What columns free, in words; those that free nothing are left out. */
function gains(state: PlanState, ask: ShortAsk): Readonly<Record<string, number>> {
  const { columns, unit } = programIn(state, ask)
  const told = columns.map(
    (column) => [tellColumn(column), gainOf(column, ask.objective ?? 'gpus', unit)] as const
  )
  return Object.fromEntries(told.filter(([, gain]) => gain !== 0))
}

const state = aDrain({
  m: { unit: 'node', priceUsdPerHour: 3, cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' }, c: {} } },
  n: { unit: 'instance', priceUsdPerHour: 1.5, cards: { d: { '1g.10gb@0': 'r' } } },
  o: { unit: 'card', priceUsdPerHour: 4.5, cards: { e: {} } }
})

t.test('[PLAN1] a card that is cleared counts, and one that is taken into use against it', (t) => {
  t.strictSame(gains(state, { objective: 'gpus' }), {
    'clear node m': 2,
    'clear card d': 1,
    'keep c: 1 x whole': -1,
    'fill a100: 7 x 1g.10gb': -1,
    'fill a100: 1 x whole': -1
  })
  t.end()
})

t.test('[PLAN1] a node that is freed counts, and one that is taken into use against it', (t) => {
  t.strictSame(gains(state, { objective: 'nodes' }), {
    'clear freed m': 1,
    'clear freed n': 1,
    'clear opened o': -1
  })
  t.end()
})

t.test('[PLAN1] a node counts by its price', (t) => {
  t.strictSame(gains(state, { objective: 'price' }), {
    'clear freed m': 2,
    'clear freed n': 1,
    'clear opened o': -3
  })
  t.end()
})

const units = [
  { name: 'prices of 1.5, 3 and 4.5 are counted by 1.5', prices: [1.5, 3, 4.5], want: 1.5 },
  { name: 'prices of 2.5 and 1 are counted by 0.5', prices: [2.5, 1], want: 0.5 },
  { name: 'prices count to a millionth', prices: [0.3333334, 1], want: 0.000_001 },
  { name: 'a price of 0 changes nothing', prices: [0, 2], want: 2 },
  { name: 'prices of 0 alone are counted by the least there is', prices: [0, 0], want: 0.000_001 },
  { name: 'a price that is not known is 0', prices: [undefined, 2], want: 2 }
]

for (const { name, prices, want } of units) {
  t.test(`[PLAN1] ${name}`, (t) => {
    const nodes = prices.map(
      (price, index) =>
        [
          `n${index}`,
          {
            unit: 'card' as const,
            cards: { [`c${index}`]: { '1g.10gb@0': `p${index}` } },
            ...(price === undefined ? {} : { priceUsdPerHour: price })
          }
        ] as const
    )

    const { clears } = classesIn(aDrain(Object.fromEntries(nodes)), { objective: 'price' })

    t.equal(unitOf(clears), want)
    t.end()
  })
}

t.test('[PLAN1] prices of cards that are cleared alone do not matter', (t) => {
  const { clears } = classesIn(twoCards('card'), { objective: 'gpus' })

  t.equal(unitOf([]), 0.000_001)
  t.equal(unitOf(clears), 0.000_001)
  t.equal(unitOf(clears.map((clear) => ({ ...clear, scope: 'freed' as const, members: [] }))), 0.000_001)
  t.end()
})
