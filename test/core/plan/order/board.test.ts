import t from 'tap'
import {
  cardOn,
  carryOut,
  goalOf,
  isMoving,
  movingPodsOf,
  nodeOn,
  podOn,
  podsOf,
  seatOf as seatOn
} from '../../../../src/core/plan/order/board.ts'
import { setUpBoard } from '../../../../src/core/plan/order/set-up-board.ts'
import { aState, aTarget, seatOf, slotsOf } from '../order-case.ts'

const state = aState(
  {
    m: {
      unit: 'card',
      freeCpuMilli: 5,
      cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, b: { whole: 'w' } }
    },
    n: { unit: 'card', cards: { c: {} } }
  },
  { p: { cpuMilli: 2, memoryMiB: 3 } }
)
const aBoard = () =>
  setUpBoard(state, aTarget(state, { moves: { q: 'n/c/1g.10gb@0' }, layouts: { c: '1g.10gb@0' } }))

t.test('finds what is on the board, and refuses what is not', (t) => {
  const board = aBoard()

  t.equal(nodeOn(board, 'm').id, 'm')
  t.equal(cardOn(board, 'a').node, 'm')
  t.equal(podOn(board, 'p').cpuMilli, 2)
  t.strictSame(goalOf(board, 'q'), seatOf('n/c/1g.10gb@0'))
  t.strictSame(seatOn(board, 'q'), seatOf('m/a/1g.10gb@1'))
  t.strictSame(podsOf(cardOn(board, 'a')), ['p', 'q'])
  t.strictSame(podsOf(cardOn(board, 'b')), ['w'])
  t.strictSame(movingPodsOf(board, cardOn(board, 'a')), ['q'])
  for (const find of [nodeOn, cardOn, podOn, goalOf, seatOn]) {
    t.throws(() => find(board, 'gone'), { code: 'PLAN_INVALID', message: /^the state has no .*gone$/ })
  }
  t.end()
})

t.test('carries out every kind of step', (t) => {
  const board = aBoard()
  const [from, to] = [seatOf('m/a/1g.10gb@0'), seatOf('n/c/1g.10gb@0')]

  carryOut(board, { kind: 'cordon', node: 'm' })
  t.ok(nodeOn(board, 'm').isCordoned)
  carryOut(board, { kind: 'uncordon', node: 'm' })
  t.notOk(nodeOn(board, 'm').isCordoned)
  carryOut(board, {
    kind: 'lay-out',
    node: 'n',
    cards: [{ card: 'c', before: [], after: slotsOf('1g.10gb@0') }]
  })
  t.strictSame(cardOn(board, 'c').live, slotsOf('1g.10gb@0'))
  carryOut(board, { kind: 'park', node: 'm', pod: 'p', from, until: from, why: 'lay-out' })
  t.strictSame([...board.waiting], ['p'])
  t.ok(isMoving(board, 'p'))
  t.strictSame(nodeOn(board, 'm').free, { cpuMilli: 7, memoryMiB: Infinity })
  carryOut(board, { kind: 'resume', node: 'n', pod: 'p', to })
  t.strictSame(podsOf(cardOn(board, 'c')), ['p'])
  carryOut(board, { kind: 'move', node: 'n', pod: 'p', from: to, to: from, purpose: 'target' })
  t.strictSame([podsOf(cardOn(board, 'a')), podsOf(cardOn(board, 'c'))], [['p', 'q'], []])
  t.strictSame(nodeOn(board, 'm').free, { cpuMilli: 5, memoryMiB: Infinity })
  t.notOk(isMoving(board, 'p'))
  carryOut(board, { kind: 'release', node: 'm' })
  t.equal(board.waiting.size, 0)
  t.end()
})
