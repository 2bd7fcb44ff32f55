import t from 'tap'
import type { PlanState } from '../../../src/core/plan/plan-state.ts'
import { tellSeat } from '../../../src/core/plan/seat.ts'
import { hasSameCounts, seatByCounts } from '../../../src/core/plan/seat-by-counts.ts'
import { tellAction } from '../../../src/core/plan/tell-action.ts'
import { aPlan, aState, aTarget, type ShortNode, type ShortTarget, slotsOf } from './order-case.ts'

const card = { '1g.10gb@0': 'p', '1g.10gb@1': '', '1g.10gb@2': 'q', '2g.20gb@4': '' }
const stateOf = (unit: ShortNode['unit']): PlanState =>
  aState({ n: { unit, cards: { c: card, d: { '1g.10gb@0': 'r', '1g.10gb@1': 'o', '2g.20gb@2': 's' } } } })

interface Case {
  readonly name: string
  readonly target: ShortTarget
  /** Where pods end, as far as they move; undefined where the target stays as it is. */
  readonly want: Readonly<Record<string, string>> | undefined
}

const layouts = { c: '2g.20gb@0 1g.10gb@2 1g.10gb@3 1g.10gb@6' }
const cases: readonly Case[] = [
  { name: 'leaves a card that holds as many of each profile alone', target: { layouts }, want: {} },
  {
    name: 'gives who comes live instances of the profile, idle ones first',
    target: { layouts, moves: { r: 'n/c/1g.10gb@6', s: 'n/c/2g.20gb@0' } },
    want: { r: 'n/c/1g.10gb@1', s: 'n/c/2g.20gb@4' }
  },
  {
    name: 'gives who comes the instance of one that leaves where none is idle',
    target: {
      layouts,
      moves: { q: 'n/d/1g.10gb@0', p: 'n/d/1g.10gb@1', r: 'n/c/1g.10gb@3', o: 'n/c/1g.10gb@6' }
    },
    want: { q: 'n/d/1g.10gb@0', p: 'n/d/1g.10gb@1', r: 'n/c/1g.10gb@1', o: 'n/c/1g.10gb@0' }
  },
  {
    name: 'leaves a pod where it is that would only go to another place of its profile',
    target: { layouts, moves: { p: 'n/c/1g.10gb@6', r: 'n/c/1g.10gb@3' } },
    want: { p: 'n/c/1g.10gb@0', r: 'n/c/1g.10gb@1' }
  },
  {
    name: 'lays out a card that holds others',
    target: { layouts: { c: '2g.20gb@0 1g.10gb@2 1g.10gb@3' } },
    want: undefined
  },
  {
    name: 'has nothing to do for a card that holds just these',
    target: { layouts: { d: '1g.10gb@0 1g.10gb@1 2g.20gb@2' } },
    want: undefined
  },
  {
    name: 'does not seat who would have no place of its own',
    target: { layouts, moves: { r: 'n/c/1g.10gb@3', s: 'n/c/1g.10gb@3' } },
    want: undefined
  },
  {
    name: 'does not seat who would have no place at all',
    target: { layouts, moves: { r: 'n/c/1g.10gb@1' } },
    want: undefined
  },
  {
    name: 'does not seat more than stay beside those who do',
    target: { layouts, moves: { r: 'n/c/1g.10gb@3', s: 'n/c/1g.10gb@6' } },
    want: undefined
  }
]

for (const unit of ['node', 'card'] as const) {
  for (const { name, target, want } of cases) {
    t.test(`[PLAN21] on a ${unit} that is laid out from empty ${name}`, (t) => {
      const state = stateOf(unit)
      const full = aTarget(state, target)

      const reached = seatByCounts(state, full)

      if (want === undefined) t.equal(reached, full)
      else {
        t.strictSame(Object.fromEntries(reached.moves.map(({ pod, to }) => [pod, tellSeat(to)])), want)
        t.strictSame(
          reached.layouts.map((layout) => layout.card),
          Object.keys(target.layouts ?? {}).filter((id) => id !== 'c')
        )
      }
      t.end()
    })
  }
}

t.test('[PLAN21] keeps to places where instances are made one by one', (t) => {
  const state = stateOf('instance')
  const target = aTarget(state, { layouts })

  t.equal(seatByCounts(state, target), target)
  t.end()
})

t.test('[PLAN20] leaves a card that is named twice, or that is not there, to be refused', (t) => {
  const state = stateOf('card')
  const target = aTarget(state, { layouts })
  const twice = { ...target, layouts: [...target.layouts, ...target.layouts] }
  const gone = aTarget(state, { layouts: { x: '1g.10gb@0' } })

  t.equal(seatByCounts(state, twice), twice)
  t.equal(seatByCounts(state, gone), gone)
  t.end()
})

t.test('[PLAN22] a plan does not stop a node for other places of the same profiles', (t) => {
  const { steps, totals } = aPlan(stateOf('node'), {
    layouts,
    moves: { p: 'n/c/1g.10gb@6', r: 'n/c/1g.10gb@3' },
    freedCards: []
  })

  t.strictSame(steps.map(tellAction), ['move r from n/d/1g.10gb@0 to n/c/1g.10gb@1'])
  t.equal(totals.podsMoved, 1)
  t.end()
})

t.test('[PLAN21] counts profiles, wherever they are', (t) => {
  t.ok(hasSameCounts(slotsOf('1g.10gb@0 2g.20gb@2'), slotsOf('2g.20gb@0 1g.10gb@3')))
  t.notOk(hasSameCounts(slotsOf('1g.10gb@0'), slotsOf('1g.10gb@0 1g.10gb@1')))
  t.notOk(hasSameCounts(slotsOf('1g.10gb@0'), []))
  t.end()
})
