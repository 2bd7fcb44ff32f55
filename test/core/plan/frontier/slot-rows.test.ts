import t from 'tap'
import { drainColumns } from '../../../../src/core/plan/frontier/columns.ts'
import { slotRows } from '../../../../src/core/plan/frontier/slot-rows.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { aDrain, classesIn, tellRows, twoCards } from './drain-case.ts'

function rowsOf(state: PlanState): ReturnType<typeof slotRows> {
  const classes = classesIn(state)
  return slotRows({ isCautious: false, state, classes, columns: drainColumns(state, classes) })
}

/** Rows in words. */
function told(state: PlanState): readonly string[] {
  return tellRows({ columns: drainColumns(state, classesIn(state)), rows: rowsOf(state) })
}

t.test('[PLAN2] there are as many slots as pods come', (t) => {
  const state = twoCards('instance')

  t.strictSame(told(state), ['0.. of 7 fill a100: 7 x 1g.10gb, 6 keep a+b: 6 x 1g.10gb, -1 move p+q to a100'])
  t.strictSame(
    rowsOf(state).map(({ name }) => name),
    ['1g.10gb of a100']
  )
  t.end()
})

t.test('[PLAN2] larger slots serve smaller pods, and both together are not too many', (t) => {
  const state = aDrain(
    { m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '3g.40gb@4': 'q' } } } },
    { profiles: ['1g.10gb', '3g.40gb'] }
  )

  t.strictSame(told(state), [
    '0.. of 2 fill a100: 2 x 3g.40gb, 5 fill a100: 4 x 1g.10gb + 1 x 3g.40gb, 7 fill a100: 7 x 1g.10gb, ' +
      '-1 move p to a100, -1 move q to a100',
    '0.. of 2 fill a100: 2 x 3g.40gb, 1 fill a100: 4 x 1g.10gb + 1 x 3g.40gb, -1 move q to a100'
  ])
  t.end()
})

t.test('[PLAN2] a pinned pod counts on slots of its profile alone', (t) => {
  const state = aDrain(
    { m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' } } } },
    { profiles: ['1g.10gb', '3g.40gb'], pods: { p: { isExact: true } } }
  )

  t.strictSame(told(state), [
    '0.. of 4 fill a100: 4 x 1g.10gb + 1 x 3g.40gb, 7 fill a100: 7 x 1g.10gb, -1 move p to a100'
  ])
  t.end()
})

t.test('[PLAN2] a pod that wants a card counts on those that are uncut', (t) => {
  const state = aDrain(
    { m: { unit: 'card', cards: { a: { whole: 'p' } } } },
    { pods: { p: { slots: { a100: 'whole' } } } }
  )

  t.strictSame(told(state), ['0.. of 1 fill a100: 1 x whole, -1 move p to a100'])
  t.end()
})

t.test('[PLAN2] a pod that no slot serves does not come', (t) => {
  t.strictSame(told(twoCards('card', { pods: { p: { slots: { a100: '7g.80gb' }, tenant: 'red' } } })), [
    '0.. of -1 move p to a100',
    '0.. of 7 fill a100: 7 x 1g.10gb, -1 move q to a100'
  ])
  t.end()
})

t.test('[PLAN2] each tenant has enough of its own', (t) => {
  const state = twoCards('instance', { pods: { p: { tenant: 'red' } } })

  t.strictSame(told(state), [
    '0.. of 7 fill a100 for red: 7 x 1g.10gb, 6 keep a for red: 6 x 1g.10gb, -1 move p to a100',
    '0.. of 7 fill a100: 7 x 1g.10gb, 6 keep b: 6 x 1g.10gb, -1 move q to a100'
  ])
  t.strictSame(
    rowsOf(state).map(({ name }) => name),
    ['1g.10gb of a100 for red', '1g.10gb of a100']
  )
  t.end()
})
