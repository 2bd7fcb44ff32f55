import t from 'tap'
import { Cleared } from '../../../../src/core/plan/frontier/cleared.ts'
import { filledSeats, keptSeats } from '../../../../src/core/plan/frontier/open-seats.ts'
import type { OpenSeat } from '../../../../src/core/plan/frontier/seat-pods.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { slotKey } from '../../../../src/core/plan/seat.ts'
import { aDrain, classesIn, countedOf, programIn, type ShortAsk } from './drain-case.ts'

/** Seats in words: those of cards that stay in use, and those of cards that are laid out. */
function seats(
  state: PlanState,
  counts: Readonly<Record<string, number>>,
  ask: ShortAsk = {}
): { readonly kept: readonly string[]; readonly filled: readonly string[] } {
  const counted = countedOf(programIn(state, ask).columns, counts)
  const cleared = new Cleared(counted)
  return {
    kept: keptSeats(counted, cleared).map(tell),
    filled: filledSeats(classesIn(state, ask), counted, cleared).map(tell)
  }
}

function tell({ ref, tenant, slot, kind, placement, layout }: OpenSeat): string {
  const who = tenant === undefined ? '' : ` for ${tenant}`
  return `${kind} ${slot} ${ref.card.id}/${slotKey(placement)} of ${layout.length}${who}`
}

t.test('[PLAN5] cards of a kind that are not cleared give their seats, each in one way', (t) => {
  const card = (pod: string) => ({ '3g.40gb@4': pod, '1g.10gb@0': `x${pod}` })
  const state = aDrain(
    { m: { unit: 'instance', cards: { a: card('p'), b: card('q'), c: card('r'), d: card('s') } } },
    { profiles: ['1g.10gb', '2g.20gb'] }
  )

  const { kept } = seats(state, {
    'clear card a+b+c+d': 1,
    'keep a+b+c+d: 3 x 1g.10gb': 1,
    'keep a+b+c+d: 1 x 1g.10gb + 1 x 2g.20gb': 1
  })

  t.strictSame(kept.map((text) => text.split(' ').slice(0, 3).join(' ')).toSorted(), [
    'beside 1g.10gb b/1g.10gb@1',
    'beside 1g.10gb c/1g.10gb@1',
    'beside 1g.10gb c/1g.10gb@2',
    'beside 1g.10gb c/1g.10gb@3',
    'beside 2g.20gb b/2g.20gb@2'
  ])
  t.end()
})

t.test('[PLAN5] cards as they are give what is idle, for one tenant', (t) => {
  const state = aDrain(
    {
      m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@3': '' }, b: {} } },
      n: { unit: 'card', cards: { c: { '1g.10gb@0': 'q' } } }
    },
    { pods: { p: { tenant: 'red' }, q: { tenant: 'red' } } }
  )

  const { kept } = seats(state, { 'keep a for red: 1 x 1g.10gb': 1, 'keep b for red: 1 x whole': 1 })

  t.strictSame(kept.toSorted(), [
    'as-is 1g.10gb a/1g.10gb@3 of 1 for red',
    'as-is whole b/whole of 0 for red'
  ])
  t.end()
})

t.test('[PLAN6] an answer that keeps more cards than are left is refused', (t) => {
  const state = aDrain({ m: { unit: 'instance', cards: { a: { '1g.10gb@0': 'p' } } } })

  t.throws(() => seats(state, { 'clear card a': 1, 'keep a: 6 x 1g.10gb': 1 }), { code: 'PLAN_INVALID' })
  t.end()
})

const pool = aDrain(
  {
    m: { unit: 'instance', cards: { a: { '3g.40gb@0': 'p' }, e: {} } },
    n: { unit: 'card', cards: { b: { '1g.10gb@0': '' }, c: {}, d: { '3g.40gb@0': '', '3g.40gb@4': '' } } }
  },
  { profiles: ['3g.40gb'] }
)

t.test(
  '[PLAN5] of empty cards those come first that are laid out so already, then those that were empty',
  (t) => {
    const { filled } = seats(pool, { 'fill a100: 2 x 3g.40gb': 2, 'fill a100: 1 x whole': 1 })

    t.strictSame(filled, [
      'fill 3g.40gb d/3g.40gb@0 of 2',
      'fill 3g.40gb d/3g.40gb@4 of 2',
      'fill 3g.40gb e/3g.40gb@0 of 2',
      'fill 3g.40gb e/3g.40gb@4 of 2',
      'fill whole c/whole of 0'
    ])
    t.end()
  }
)

t.test('[PLAN4] cards that are cleared come last', (t) => {
  const { filled } = seats(pool, { 'clear card a': 1, 'fill a100: 1 x whole': 5 })

  t.strictSame(
    filled.map((text) => text.split(' ')[2]),
    ['e/whole', 'c/whole', 'b/whole', 'd/whole', 'a/whole']
  )
  t.end()
})

t.test('[PLAN1] empty cards of a node that is freed are not filled', (t) => {
  const state = aDrain({
    m: { unit: 'instance', cards: { a: { '1g.10gb@0': 'p' }, e: {} } },
    n: { unit: 'instance', cards: { b: { '1g.10gb@0': 'q' }, f: {} } }
  })
  const ask = { objective: 'nodes' } as const

  t.strictSame(seats(state, { 'clear freed m+n': 1, 'fill a100: 1 x whole': 1 }, ask).filled, [
    'fill whole f/whole of 0'
  ])
  t.throws(() => seats(state, { 'clear freed m+n': 1, 'fill a100: 1 x whole': 2 }, ask), {
    code: 'PLAN_INVALID'
  })
  t.end()
})

t.test('[PLAN6] an answer that fills cards of a pool without one is refused', (t) => {
  const state = aDrain({ m: { unit: 'instance', cards: { a: { '1g.10gb@0': 'p' } } } })

  t.throws(() => seats(state, { 'fill a100: 1 x whole': 1 }), { code: 'PLAN_INVALID' })
  t.end()
})
