import t from 'tap'
import { startWorld } from '../../../src/core/plan/plan-world.ts'
import { WorldIndex } from '../../../src/core/plan/world-index.ts'
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
const anIndex = () => new WorldIndex({ ...startWorld(state), cordoned: ['z', 'n'], waiting: ['q'] })

t.test('finds nodes, cards, pods and who is where', (t) => {
  const index = anIndex()

  t.equal(index.node('m'), state.nodes[0])
  t.equal(index.node('x'), undefined)
  t.equal(index.card({ node: 'n', card: 'b' }), state.nodes[1]?.cards[0])
  t.equal(index.card({ node: 'm', card: 'b' }), undefined)
  t.equal(index.pod('p'), state.pods[0])
  t.equal(index.podIn(seatOf('m/a/1g.10gb@0')), 'p')
  t.equal(index.podIn(seatOf('m/a/1g.10gb@1')), undefined)
  t.equal(index.podIn(seatOf('n/b/whole')), 'w')
  t.equal(index.podIn(seatOf('x/b/whole')), undefined)
  t.strictSame([index.isCordoned('n'), index.isCordoned('m')], [true, false])
  t.strictSame([index.isWaiting('q'), index.isWaiting('p')], [true, false])
  t.end()
})

t.test('gives the world back, its lists sorted, and leaves the one that it was made of as it is', (t) => {
  const before = structuredClone(state.nodes)
  const index = anIndex()

  index.setCordoned('a', true)
  index.setCordoned('n', false)
  index.setWaiting('o', true)
  index.setWaiting('q', false)
  index.unseat('p', seatOf('m/a/1g.10gb@0'))

  t.strictSame([index.world().cordoned, index.world().waiting], [['a', 'z'], ['o']])
  t.strictSame(state.nodes, before)
  t.end()
})

t.test('a pod that leaves gives back what it took of its node, and takes it again', (t) => {
  const seat = seatOf('m/a/1g.10gb@0')
  const index = anIndex()

  index.unseat('p', seat)
  const left = index.node('m')
  index.seat('p', seat)

  t.strictSame(left, {
    id: 'm',
    pool: 'a100',
    unit: 'card',
    freeCpuMilli: 7,
    freeMemoryMiB: 10,
    cards: [{ id: 'a', instances: slotsOf('1g.10gb@0 1g.10gb@1').map((placement) => ({ placement })) }]
  })
  t.strictSame(index.world().state, state)
  t.end()
})

t.test('an uncut card is left and taken whole', (t) => {
  const index = anIndex()

  index.unseat('other', seatOf('n/b/whole'))
  t.equal(index.podIn(seatOf('n/b/whole')), 'w')
  index.unseat('w', seatOf('n/b/whole'))
  t.strictSame(index.card({ node: 'n', card: 'b' }), { id: 'b', instances: [] })
  index.seat('w', seatOf('n/c/whole'))
  t.strictSame(index.card({ node: 'n', card: 'c' }), { id: 'c', instances: [], wholePod: 'w' })
  index.seat('stranger', seatOf('n/c/whole'))
  t.equal(index.podIn(seatOf('n/c/whole')), 'stranger')
  t.end()
})

t.test('a layout keeps who runs in what stays', (t) => {
  const index = anIndex()

  index.layOut({ node: 'm', card: 'a' }, slotsOf('1g.10gb@0 3g.40gb@4'))

  t.strictSame(index.card({ node: 'm', card: 'a' }), {
    id: 'a',
    instances: [
      { placement: { profile: '1g.10gb', start: 0, size: 1 }, pod: 'p' },
      { placement: { profile: '3g.40gb', start: 4, size: 4 } }
    ]
  })
  t.end()
})

t.test('nothing changes on a node that is not there', (t) => {
  const index = anIndex()

  index.seat('p', seatOf('gone/a/1g.10gb@0'))
  index.layOut({ node: 'gone', card: 'a' }, [])

  t.strictSame(index.world().state, state)
  t.end()
})

t.test('[PLAN32] a budget lets less be stopped for as long as pods of it wait', (t) => {
  const budgets = [{ id: 'w', pods: ['p', 'p'], disruptionsAllowed: 1 }]
  const index = new WorldIndex(startWorld({ ...state, budgets }))

  index.setWaiting('p', true)
  index.setWaiting('p', true)
  index.setWaiting('w', true)
  t.equal(index.allowedBy('w'), 0)
  t.equal(index.allowedBy('gone'), undefined)
  t.strictSame(index.world().state.budgets, [{ id: 'w', pods: ['p', 'p'], disruptionsAllowed: 0 }])
  index.setWaiting('p', false)
  t.strictSame(index.world().state.budgets, budgets)
  t.end()
})
