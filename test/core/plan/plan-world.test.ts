import t from 'tap'
import {
  findCard,
  findNode,
  podInSeat,
  podsOnCard,
  startWorld,
  withLayout,
  withoutPodIn,
  withPodIn
} from '../../../src/core/plan/plan-world.ts'
import { aState, seatOf, slotsOf } from './order-case.ts'

const state = aState(
  {
    m: {
      unit: 'card',
      cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': '' } },
      freeCpuMilli: 5,
      freeMemoryMiB: 7
    },
    n: { unit: 'card', cards: { b: { whole: 'w' }, c: {} } }
  },
  { p: { cpuMilli: 2, memoryMiB: 3 } }
)

t.test('begins with nodes that take pods, and nobody waits', (t) => {
  t.strictSame(startWorld(state), { state, cordoned: [], waiting: [] })
  t.end()
})

t.test('finds nodes, cards and who is where', (t) => {
  const cards = state.nodes.flatMap((node) => node.cards)

  t.equal(findNode(state, 'm'), state.nodes[0])
  t.equal(findNode(state, 'x'), undefined)
  t.equal(findCard(state, { node: 'm', card: 'b' }), undefined)
  t.strictSame(cards.map(podsOnCard), [['p'], ['w'], []])
  t.equal(podInSeat(state, seatOf('m/a/1g.10gb@0')), 'p')
  t.equal(podInSeat(state, seatOf('m/a/1g.10gb@1')), undefined)
  t.equal(podInSeat(state, seatOf('n/b/whole')), 'w')
  t.equal(podInSeat(state, seatOf('x/b/whole')), undefined)
  t.end()
})

t.test('a pod that leaves gives back what it took of its node, and takes it again', (t) => {
  const seat = seatOf('m/a/1g.10gb@0')

  const left = withoutPodIn(state, seat, 'p')

  t.strictSame(findNode(left, 'm'), {
    id: 'm',
    pool: 'a100',
    unit: 'card',
    freeCpuMilli: 7,
    freeMemoryMiB: 10,
    cards: [{ id: 'a', instances: slotsOf('1g.10gb@0 1g.10gb@1').map((placement) => ({ placement })) }]
  })
  t.strictSame(withPodIn(left, seat, 'p'), state)
  t.end()
})

t.test('an uncut card is left and taken whole', (t) => {
  const left = withoutPodIn(state, seatOf('n/b/whole'), 'w')

  t.strictSame(findCard(left, { node: 'n', card: 'b' }), { id: 'b', instances: [] })
  t.strictSame(findCard(withPodIn(left, seatOf('n/c/whole'), 'w'), { node: 'n', card: 'c' }), {
    id: 'c',
    instances: [],
    wholePod: 'w'
  })
  t.equal(podInSeat(withoutPodIn(state, seatOf('n/b/whole'), 'other'), seatOf('n/b/whole')), 'w')
  t.strictSame(withPodIn(left, seatOf('n/c/whole'), 'stranger').nodes[1]?.cards[1]?.wholePod, 'stranger')
  t.end()
})

t.test('a layout keeps who runs in what stays', (t) => {
  const laidOut = withLayout(state, { node: 'm', card: 'a' }, slotsOf('1g.10gb@0 3g.40gb@4'))

  t.strictSame(findCard(laidOut, { node: 'm', card: 'a' }), {
    id: 'a',
    instances: [
      { placement: { profile: '1g.10gb', start: 0, size: 1 }, pod: 'p' },
      { placement: { profile: '3g.40gb', start: 4, size: 4 } }
    ]
  })
  t.end()
})
