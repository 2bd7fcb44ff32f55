import t from 'tap'
import { poolPerNode } from '../../../../src/core/plan/frontier/pool-per-node.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { twoCards } from './drain-case.ts'

const two = twoCards('card', { pods: { q: { slots: { a100: 'whole', gone: '1g.10gb' } } } })

function withCpu(state: PlanState): PlanState {
  return { ...state, nodes: state.nodes.map((node) => ({ ...node, freeCpuMilli: 1 })) }
}

t.test(
  '[PLAN8] each node is a pool of its own, and who may run in the pool may run on each of its nodes',
  (t) => {
    const { pools, nodes, pods } = poolPerNode(withCpu(two))

    t.strictSame(
      pools.map(({ id, model }) => [id, model.id]),
      [
        ['m', 'a100-sxm4-80gb'],
        ['n', 'a100-sxm4-80gb']
      ]
    )
    t.strictSame(
      nodes.map(({ id, pool }) => [id, pool]),
      [
        ['m', 'm'],
        ['n', 'n']
      ]
    )
    t.strictSame(
      pods.map(({ id, slots }) => [id, slots]),
      [
        ['p', { m: '1g.10gb', n: '1g.10gb' }],
        ['q', { m: 'whole', n: 'whole' }]
      ]
    )
    t.end()
  }
)

t.test('[PLAN8] a state in which no node runs out of anything stays as it is', (t) => {
  t.equal(poolPerNode(two), two)
  t.end()
})

t.test('[PLAN8] a state of many nodes and pods stays as it is', (t) => {
  const pods = Array.from({ length: 15_000 }, (_, index) =>
    two.pods.map((pod) => ({ ...pod, id: `${pod.id}${index}` }))
  )
  const state = withCpu({ ...two, pods: pods.flat() })

  t.equal(poolPerNode(state), state)
  t.end()
})

t.test('[PLAN8] a node of a pool that is not there brings none', (t) => {
  t.strictSame(poolPerNode({ ...withCpu(two), pools: [] }).pools, [])
  t.end()
})
