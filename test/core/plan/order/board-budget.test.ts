import t from 'tap'
import { blockerKey, blockerOf, nodeBehind } from '../../../../src/core/plan/order/blocker.ts'
import {
  budgetsByPod,
  fullBudget,
  overBudget,
  strainOf
} from '../../../../src/core/plan/order/board-budget.ts'
import { breakCycle } from '../../../../src/core/plan/order/break-cycle.ts'
import { perform, rollBack } from '../../../../src/core/plan/order/course.ts'
import { tryBlock } from '../../../../src/core/plan/order/empty-block.ts'
import { tellAction } from '../../../../src/core/plan/tell-action.ts'
import { aCourse, aState, seatOf } from '../order-case.ts'

const base = aState({
  m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' } } },
  n: { unit: 'card', cards: { c: { '1g.10gb@0': 'r', '1g.10gb@1': '' } } }
})
const state = {
  ...base,
  budgets: [
    { id: 'x', pods: ['p', 'r'], disruptionsAllowed: 3 },
    { id: 'w', pods: ['p', 'q', 'q', 'gone'], disruptionsAllowed: 1 }
  ]
}
const short = { moves: { p: 'm/b/1g.10gb@0', q: 'n/c/1g.10gb@1' } }
const park = {
  kind: 'park',
  node: 'm',
  pod: 'p',
  from: seatOf('m/a/1g.10gb@0'),
  until: seatOf('m/b/1g.10gb@0'),
  why: 'no-spare'
} as const

t.test('[PLAN32] a pod is counted by its budgets, by id, once by each', (t) => {
  const budgets = budgetsByPod(state.budgets)

  t.strictSame(Object.fromEntries([...budgets].map(([pod, own]) => [pod, own.map(({ id }) => id)])), {
    gone: ['w'],
    p: ['w', 'x'],
    q: ['w'],
    r: ['x']
  })
  t.end()
})

t.test('[PLAN32] a budget is full while its pods wait', (t) => {
  const course = aCourse(state, short)
  const { board } = course

  t.strictSame(
    [strainOf(board, 'q'), fullBudget(board, ['q']), fullBudget(board, ['p', 'q'])],
    [0, undefined, undefined]
  )
  t.strictSame(overBudget(board, ['q', 'p', 'r']), ['p'])
  perform(course, park)
  t.strictSame([strainOf(board, 'q'), strainOf(board, 'r'), strainOf(board, 'stranger')], [1, 0, 0])
  t.strictSame(fullBudget(board, ['r', 'q']), { budget: 'w', waiting: ['p'] })
  t.strictSame(overBudget(board, ['r', 'q']), ['q'])
  rollBack(course, 0)
  t.strictSame([strainOf(board, 'q'), fullBudget(board, ['q'])], [0, undefined])
  t.strictSame(course.strains, [])
  t.strictSame(fullBudget(aCourse(base, short).board, ['q']), undefined)
  t.end()
})

t.test('[PLAN32] who is held back for a budget goes where the others wait for just that', (t) => {
  const course = aCourse(state, short)
  perform(course, park)
  const blocker = blockerOf(course.board, 'q')

  t.strictSame(blocker, { kind: 'budget', node: 'm', budget: 'w', pods: ['p'], held: 'q' })
  t.strictSame(blocker && [blockerKey(blocker), nodeBehind(blocker)], ['budget w q', 'm'])
  t.strictSame(blocker && breakCycle(course, blocker, 0), [])
  t.strictSame(blocker && breakCycle(course, blocker), ['m'])
  t.strictSame(course.steps.map(tellAction).slice(1), [
    'move q from m/b/1g.10gb@0 to n/c/1g.10gb@1',
    'resume p in m/b/1g.10gb@0'
  ])
  t.strictSame(course.strains, [0, 1, 0])
  t.end()
})

t.test(
  '[PLAN32] a card whose pods a budget holds back is laid out where the others wait for just that',
  (t) => {
    const course = aCourse(state, {
      moves: { p: 'm/b/2g.20gb@2' },
      layouts: { b: '1g.10gb@0 2g.20gb@2' }
    })
    perform(course, { ...park, until: seatOf('m/b/2g.20gb@2') })
    const block = course.board.blocks.get('b')
    const blocker = block && tryBlock(course, block)

    t.equal(blocker && blockerKey(blocker), 'budget w m/b')
    t.strictSame(blocker && breakCycle(course, blocker), ['m'])
    t.strictSame(course.steps.map(tellAction).slice(1), [
      'park q from m/b/1g.10gb@0 until m/b/1g.10gb@0 is there',
      'lay out m: b 1g.10gb@0 + 2g.20gb@2',
      'resume p in m/b/2g.20gb@2',
      'resume q in m/b/1g.10gb@0'
    ])
    t.end()
  }
)
