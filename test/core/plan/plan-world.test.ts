import t from 'tap'
import { startWorld } from '../../../src/core/plan/plan-world.ts'
import { aState } from './order-case.ts'

t.test('begins with nodes that take pods but those that are cordoned, sorted, and nobody waits', (t) => {
  const cards = { a: { '1g.10gb@0': 'p' } }
  const state = aState({
    n: { unit: 'card', isCordoned: true, cards },
    m: { unit: 'card', isCordoned: true, cards: {} },
    o: { unit: 'card', isCordoned: false, cards: {} },
    q: { unit: 'card', cards: {} }
  })

  t.strictSame(startWorld(state), { state, cordoned: ['m', 'n'], waiting: [] })
  t.end()
})
