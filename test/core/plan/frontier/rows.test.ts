import t from 'tap'
import { drainColumns } from '../../../../src/core/plan/frontier/columns.ts'
import {
  clearedRows,
  emptyRows,
  keptRows,
  movedRows,
  type RowContext,
  termsByKey
} from '../../../../src/core/plan/frontier/rows.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { aDrain, classesIn, type ShortAsk, tellRows, twoCards } from './drain-case.ts'

function contextOf(state: PlanState, ask: ShortAsk = {}): RowContext {
  const classes = classesIn(state, ask)
  return { isCautious: false, state, classes, columns: drainColumns(state, classes) }
}

/** Rows in words. */
function told(make: typeof movedRows, context: RowContext): readonly string[] {
  return tellRows({ columns: context.columns, rows: make(context) }).toSorted()
}

const node = aDrain({
  m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, b: { '1g.10gb@0': 'r' }, c: {} } },
  n: { unit: 'instance', cards: { d: { '1g.10gb@0': 's' }, e: {} } },
  o: { unit: 'card', cards: { f: {}, g: {} } }
})

t.test('[PLAN2] whoever leaves arrives: as many as the cards that are cleared have', (t) => {
  t.strictSame(told(movedRows, contextOf(node)), [
    '0..0 of -1 clear card d, -3 clear node m, 1 move p+q+r+s to a100'
  ])
  t.end()
})

t.test('[PLAN2] pods that never leave have no row', (t) => {
  const state = twoCards('card', { pods: { p: { stays: 'its budget', tenant: 'red' } } })

  t.strictSame(told(movedRows, contextOf(state)), ['0..0 of -1 clear card b, 1 move q to a100'])
  t.end()
})

t.test('[PLAN4] a card takes more or is cleared, not both', (t) => {
  t.strictSame(told(keptRows, contextOf(node)), [
    '..1 of 1 clear card d, 1 keep d: 6 x 1g.10gb',
    '..1 of 1 clear node m, 1 keep c: 1 x whole',
    '..2 of 2 clear node m'
  ])
  t.end()
})

t.test('[PLAN4] cards are laid out anew where they are empty or are cleared', (t) => {
  t.strictSame(told(emptyRows, contextOf(node)), [
    '..3 of -1 clear card d, -3 clear node m, 1 fill a100: 1 x whole, 1 fill a100: 7 x 1g.10gb'
  ])
  t.end()
})

t.test('[PLAN4] where no card is empty, one has to be cleared first', (t) => {
  t.strictSame(told(emptyRows, contextOf(twoCards('card'))), [
    '..0 of -1 clear card a+b, 1 fill a100: 1 x whole, 1 fill a100: 7 x 1g.10gb'
  ])
  t.end()
})

t.test('[PLAN1] a node that is freed takes its empty cards along, one that is opened brings its own', (t) => {
  t.strictSame(told(emptyRows, contextOf(node, { objective: 'nodes' })), [
    '..1 of -1 clear card d, 1 clear freed n, -3 clear node m, -2 clear opened o, ' +
      '1 fill a100: 1 x whole, 1 fill a100: 7 x 1g.10gb'
  ])
  t.end()
})

t.test('[PLAN4] a card is cleared by itself or with its node, and a node is laid out or freed', (t) => {
  const state = aDrain({
    l: { unit: 'instance', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' } } },
    m: { unit: 'instance', cards: { c: { '1g.10gb@0': 'r' } } },
    n: { unit: 'node', priceUsdPerHour: 1, cards: { d: { '1g.10gb@0': 's' } } },
    o: { unit: 'node', priceUsdPerHour: 2, cards: { e: { '1g.10gb@0': 'u' } } }
  })

  t.strictSame(told(clearedRows, contextOf(state)), [])
  t.strictSame(told(clearedRows, contextOf(state, { objective: 'nodes' })), [
    '..2 of 1 clear freed n, 1 clear freed o, 1 clear node n+o',
    '..3 of 1 clear card a+b+c, 2 clear freed l, 1 clear freed m'
  ])
  t.end()
})

t.test('columns without a weight are left out', (t) => {
  t.strictSame(
    termsByKey(contextOf(twoCards('instance')), ({ kind }) => [['own', Number(kind === 'fill') * 2]]).get(
      'own'
    ),
    [
      [2, 2],
      [3, 2]
    ]
  )
  t.end()
})
