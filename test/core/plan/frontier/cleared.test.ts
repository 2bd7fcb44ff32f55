import t from 'tap'
import { Cleared } from '../../../../src/core/plan/frontier/cleared.ts'
import type { DrainObjective } from '../../../../src/core/plan/frontier/gains.ts'
import { slotOf } from '../order-case.ts'
import { aDrain, countedOf, programIn } from './drain-case.ts'

const state = aDrain({
  l: { unit: 'instance', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q', '1g.10gb@1': '' } } },
  m: { unit: 'instance', cards: { c: { '1g.10gb@0': 'r' } } },
  n: { unit: 'node', cards: { d: { whole: 's' }, e: {} } },
  o: { unit: 'card', cards: { f: {} } }
})

/** What is cleared by these counts, without looking whether they can be. */
function clearedBy(counts: Readonly<Record<string, number>>, objective: DrainObjective = 'nodes'): Cleared {
  return new Cleared(countedOf(programIn(state, { objective }).columns, counts))
}

function cardsOf(cleared: Cleared): readonly string[] {
  return state.nodes.flatMap(({ cards }) => cards.filter((card) => cleared.has(card)).map(({ id }) => id))
}

t.test('[PLAN2] the first cards of a kind are cleared, and can be laid out anew', (t) => {
  const cleared = clearedBy({ 'clear card a+b+c': 1, 'keep a+b+c: 6 x 1g.10gb': 1 })

  t.strictSame(cardsOf(cleared), ['a'])
  t.strictSame(
    cleared.returned('a100').map(({ card, node }) => [node.id, card.id]),
    [['l', 'a']]
  )
  t.strictSame(cleared.returned('z'), [])
  t.strictSame([...cleared.leaving(state)], [['p', { node: 'l', card: 'a', placement: slotOf('1g.10gb@0') }]])
  t.end()
})

t.test('[PLAN1] cards of a node that is freed are left alone, others of the kind are cleared', (t) => {
  const cleared = clearedBy({ 'clear card a+b+c': 1, 'clear freed l': 1 })

  t.strictSame(cardsOf(cleared), ['a', 'b', 'c'])
  t.strictSame(
    state.nodes.filter((node) => cleared.isFreed(node)).map(({ id }) => id),
    ['l']
  )
  t.strictSame(
    cleared.returned('a100').map(({ card }) => card.id),
    ['c']
  )
  t.strictSame([...cleared.leaving(state).keys()], ['p', 'q', 'r'])
  t.end()
})

t.test('[PLAN4] all cards of a node that is laid out as a whole, or taken into use, can be laid out', (t) => {
  const cleared = clearedBy({ 'clear node n': 1, 'clear opened o': 1 })

  t.strictSame(cardsOf(cleared), ['d', 'e', 'f'])
  t.notOk(state.nodes.some((node) => cleared.isFreed(node)))
  t.strictSame(
    cleared
      .returned('a100')
      .map(({ card }) => card.id)
      .toSorted(),
    ['d', 'e', 'f']
  )
  t.strictSame([...cleared.leaving(state)], [['s', { node: 'n', card: 'd' }]])
  t.end()
})

t.test('[PLAN6] an answer that takes more than there are is refused', (t) => {
  t.throws(() => clearedBy({ 'clear card a+b+c': 4 }), { code: 'PLAN_INVALID' })
  t.throws(() => clearedBy({ 'clear node n': 1, 'clear freed n': 1 }), { code: 'PLAN_INVALID' })
  t.end()
})
