import t from 'tap'
import { send } from '../../../../src/core/plan/order/course.ts'
import { dueReleases, release } from '../../../../src/core/plan/order/release.ts'
import { tellAction } from '../../../../src/core/plan/tell-action.ts'
import { aCourse, aState, aTarget } from '../order-case.ts'

const state = aState({
  m: { unit: 'card', cards: { b: { '1g.10gb@0': 'q' }, a: { '1g.10gb@0': 'p' }, e: {} } },
  n: {
    unit: 'card',
    cards: { c: { '1g.10gb@0': 'r' }, d: { '1g.10gb@0': '', '1g.10gb@1': '', '1g.10gb@2': '' } }
  }
})
const moves = { p: 'n/d/1g.10gb@0', q: 'n/d/1g.10gb@1', r: 'n/d/1g.10gb@2' }

t.test('[PLAN29] says of cards that they are free once they are empty, each once', (t) => {
  const short = { moves, freedCards: ['b', 'a', 'c'] }
  const course = aCourse(state, short)
  const due = dueReleases(course.board, aTarget(state, short))

  release(course, due, 'm')
  send(course, 'q')
  release(course, due, 'm')
  send(course, 'p')
  release(course, due, 'm')
  release(course, due, 'm')
  release(course, due, 'n')

  t.strictSame(course.steps.map(tellAction), [
    'move q from m/b/1g.10gb@0 to n/d/1g.10gb@1',
    'release m/b',
    'move p from m/a/1g.10gb@0 to n/d/1g.10gb@0',
    'release m/a'
  ])
  t.end()
})

t.test('[PLAN29] says it of a node once all its cards are empty, and then not of its cards', (t) => {
  const short = { moves, freedCards: ['a', 'b'], freedNodes: ['m'] }
  const course = aCourse(state, short)
  const due = dueReleases(course.board, aTarget(state, short))

  send(course, 'q')
  release(course, due, 'm')
  send(course, 'p')
  release(course, due, 'm')
  release(course, due, 'n')

  t.strictSame(course.steps.map(tellAction).slice(1), [
    'move p from m/a/1g.10gb@0 to n/d/1g.10gb@0',
    'release m'
  ])
  t.end()
})
