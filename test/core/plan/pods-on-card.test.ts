import t from 'tap'
import { podsOnCard, seatsOnCard } from '../../../src/core/plan/pods-on-card.ts'
import { slotsOf } from './order-case.ts'

const [low, high] = slotsOf('1g.10gb@0 3g.40gb@4')
const cut = low === undefined || high === undefined ? [] : [{ placement: low, pod: 'z' }, { placement: high }]

const cases = [
  {
    name: 'those in instances, by start',
    card: { id: 'c', instances: [...cut, ...cut.map((live) => ({ ...live, pod: 'a' }))] },
    want: ['z', 'a', 'a']
  },
  { name: 'who has it uncut', card: { id: 'c', instances: [], wholePod: 'w' }, want: ['w'] },
  {
    name: 'those who share it, by id',
    card: { id: 'c', instances: cut, sharedPods: ['y', 'x'] },
    want: ['z', 'x', 'y']
  },
  { name: 'nobody', card: { id: 'c', instances: [], sharedPods: [] }, want: [] }
]

for (const { name, card, want } of cases) {
  t.test(`on a card is ${name}`, (t) => {
    t.strictSame(podsOnCard(card), want)
    t.end()
  })
}

t.test('who has a card or an instance alone has a seat, who shares the card has none', (t) => {
  const seat = { node: 'n', card: 'c' }

  t.strictSame(seatsOnCard({ id: 'n' }, { id: 'c', instances: cut, sharedPods: ['x'] }), [
    ['z', { ...seat, placement: low }]
  ])
  t.strictSame(seatsOnCard({ id: 'n' }, { id: 'c', instances: [], wholePod: 'w' }), [['w', seat]])
  t.end()
})
