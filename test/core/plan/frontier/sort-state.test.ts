import t from 'tap'
import { sortState } from '../../../../src/core/plan/frontier/sort-state.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { aPod, aState } from '../order-case.ts'

t.test('[PLAN10] a state is the same in whatever order it was read', (t) => {
  const [pool] = aState({}).pools
  if (pool === undefined) return t.fail('no pool')
  const { nodes } = aState({
    m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, b: {} } },
    n: { unit: 'card', cards: {} }
  })
  const pods = ['p', 'q'].map((id) => aPod(id, {}))
  const sorted: PlanState = { pools: [{ ...pool, id: 'x' }, pool].toReversed(), nodes, pods }
  const shuffled: PlanState = {
    pools: sorted.pools.toReversed(),
    nodes: nodes.toReversed().map((node) => ({
      ...node,
      cards: node.cards.toReversed().map((card) => ({ ...card, instances: card.instances.toReversed() }))
    })),
    pods: pods.toReversed()
  }

  t.notSame(shuffled, sorted)
  t.strictSame(sortState(shuffled), sorted)
  t.strictSame(sortState(sorted), sorted)
  return t.end()
})
