import t from 'tap'
import { setUpBoard } from '../../../../src/core/plan/order/set-up-board.ts'
import { aState, aTarget, noTarget, seatOf, slotsOf } from '../order-case.ts'

t.test('[PLAN28] puts everything in one order, whatever the order of the state', (t) => {
  const state = aState({
    n: { unit: 'node', stays: 'it is old', cards: { d: {}, c: { '3g.40gb@4': '', '1g.10gb@0': 'p' } } },
    m: { unit: 'card', freeCpuMilli: 3, freeMemoryMiB: 4, cards: { b: { whole: 'w' } } }
  })

  const board = setUpBoard(state, aTarget(state, { layouts: { d: '3g.40gb@4 1g.10gb@0' } }))

  t.strictSame([...board.nodes.keys()], ['m', 'n'])
  t.strictSame([...board.cards.keys()], ['b', 'c', 'd'])
  t.strictSame(
    [...board.nodes.values()].map(({ free, stays }) => [free.cpuMilli, free.memoryMiB, stays]),
    [
      [3, 4, undefined],
      [Infinity, Infinity, 'it is old']
    ]
  )
  t.strictSame(board.cards.get('c')?.live, slotsOf('1g.10gb@0 3g.40gb@4'))
  t.strictSame(board.cards.get('d')?.wanted, slotsOf('1g.10gb@0 3g.40gb@4'))
  t.strictSame(
    board.seats,
    new Map([
      ['p', seatOf('n/c/1g.10gb@0')],
      ['w', seatOf('m/b/whole')]
    ])
  )
  t.strictSame(board.cards.get('b')?.pods, new Map([['whole', 'w']]))
  t.end()
})

t.test('[PLAN22] what stops is the node, the card, or nobody', (t) => {
  const cards = { a: { '1g.10gb@0': '' }, b: {}, c: {} }
  const layouts = { a: '7g.80gb@0', b: '7g.80gb@0', c: '' }
  const stopped = (unit: 'node' | 'card' | 'instance'): readonly unknown[] => {
    const state = aState({ n: { unit, cards } })
    const { blocks } = setUpBoard(state, aTarget(state, { layouts }))
    return [...new Set(blocks.values())].map((block) => [
      block.id,
      block.cards.map(({ id }) => id),
      block.changed.map(({ id }) => id)
    ])
  }

  t.strictSame(stopped('node'), [['n', ['a', 'b', 'c'], ['a', 'b']]])
  t.strictSame(stopped('card'), [
    ['n/a', ['a'], ['a']],
    ['n/b', ['b'], ['b']]
  ])
  t.strictSame(stopped('instance'), [])
  t.end()
})

t.test('[PLAN20] refuses what is named and is not there', (t) => {
  const state = aState({ n: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } } })
  const move = { pod: 'gone', from: seatOf('n/c/1g.10gb@0'), to: seatOf('n/c/1g.10gb@0') }

  t.throws(() => setUpBoard({ ...state, pods: [] }, noTarget), { message: 'the state has no pod p' })
  t.throws(() => setUpBoard({ ...state, pools: [] }, noTarget), {
    code: 'PLAN_INVALID',
    message: 'the state has no pool a100'
  })
  t.throws(() => setUpBoard(state, { ...noTarget, moves: [move] }), { message: 'the state has no pod gone' })
  t.throws(
    () => setUpBoard(state, { ...noTarget, moves: [{ ...move, pod: 'p', to: seatOf('n/x/whole') }] }),
    {
      message: 'the state has no card x'
    }
  )
  t.end()
})
