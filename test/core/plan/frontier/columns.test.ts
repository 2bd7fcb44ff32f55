import t from 'tap'
import { drainColumns, mostOf, sortTenants } from '../../../../src/core/plan/frontier/columns.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { aDrain, classesIn, type ShortAsk, tellColumn, twoCards } from './drain-case.ts'

/** Columns in words with the most that there can be of each. */
function told(state: PlanState, ask?: ShortAsk): readonly (readonly [string, number])[] {
  const classes = classesIn(state, ask)
  return drainColumns(state, classes).map((column) => [tellColumn(column), mostOf(column, classes)])
}

t.test('[PLAN2] what may change: cards are cleared, take more, or are laid out, and pods move', (t) => {
  t.strictSame(told(twoCards('instance')), [
    ['clear card a+b', 2],
    ['keep a+b: 6 x 1g.10gb', 2],
    ['fill a100: 7 x 1g.10gb', 2],
    ['fill a100: 1 x whole', 2],
    ['move p+q to a100', 2]
  ])
  t.end()
})

t.test('[PLAN2] where nobody can leave nothing may change', (t) => {
  t.strictSame(told(twoCards('instance', { pods: { p: { stays: 'x' }, q: { stays: 'x' } } })), [])
  t.end()
})

t.test('[PLAN2] a card takes pods of its own tenant, an idle or empty one of any', (t) => {
  const state = aDrain(
    {
      m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': '' }, i: { '1g.10gb@0': '' } } },
      n: { unit: 'instance', cards: { b: { '1g.10gb@0': 'q' }, e: {} } },
      o: { unit: 'instance', cards: { c: { '1g.10gb@0': 'r' } } }
    },
    { pods: { p: { tenant: 'red' }, q: { tenant: 'blue' }, r: { tenant: 'green', stays: 'its budget' } } }
  )

  t.strictSame(
    told(state).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    [
      ['clear card b', 1],
      ['clear node m', 1],
      ['fill a100 for blue: 1 x whole', 4],
      ['fill a100 for blue: 7 x 1g.10gb', 4],
      ['fill a100 for red: 1 x whole', 4],
      ['fill a100 for red: 7 x 1g.10gb', 4],
      ['keep a for red: 1 x 1g.10gb', 1],
      ['keep b for blue: 6 x 1g.10gb', 1],
      ['keep i for blue: 1 x 1g.10gb', 1],
      ['keep i for red: 1 x 1g.10gb', 1],
      ['move p to a100', 1],
      ['move q to a100', 1]
    ]
  )
  t.end()
})

t.test('[PLAN2] a pod moves to a pool that it names and that has cards which may be empty', (t) => {
  const state = twoCards('card', {
    pods: { q: { slots: { z: '1g.10gb', a100: '1g.10gb', none: '1g.10gb' } } }
  })
  const [pool] = state.pools
  const pools = pool === undefined ? [] : [{ ...pool, id: 'z' }, pool]

  t.strictSame(
    told({ ...state, pools })
      .map(([name]) => name)
      .toSorted(),
    [
      'clear card a',
      'clear card b',
      'fill a100: 1 x whole',
      'fill a100: 7 x 1g.10gb',
      'move p to a100',
      'move q to a100',
      'move q to z'
    ]
  )
  t.end()
})

t.test(
  '[PLAN1] cards of a node that is freed are not laid out anew, those of one that is opened are',
  (t) => {
    const state = aDrain({
      m: { unit: 'instance', cards: { a: { '1g.10gb@0': 'p' } } },
      n: { unit: 'instance', cards: { b: {}, c: {} } }
    })

    t.strictSame(told(state, { objective: 'nodes' }), [
      ['clear card a', 1],
      ['clear freed m', 1],
      ['clear opened n', 1],
      ['keep a: 6 x 1g.10gb', 1],
      ['fill a100: 7 x 1g.10gb', 3],
      ['fill a100: 1 x whole', 3],
      ['move p to a100', 1]
    ])
    t.end()
  }
)

t.test('[PLAN2] a pool of which no way is known has no cards to lay out', (t) => {
  const state = twoCards('card')

  const columns = drainColumns(state, { ...classesIn(state), ways: new Map() })

  t.strictSame(columns.map(tellColumn), ['clear card a+b', 'move p+q to a100'])
  t.end()
})

t.test('[PLAN10] tenants come by name, and none comes last', (t) => {
  t.strictSame(sortTenants(['b', undefined, 'a', 'b', undefined]), ['a', 'b', undefined])
  t.end()
})
