import type { PlanPod, PlanState } from '../plan-state.ts'

/** Most pairs of node and pod for which each node is planned as a pool of its own; about a second of solving. */
const MOST_PAIRS = 50_000

/**
 * The same state with each node as a pool of its own, where some node may run out of CPU or memory and there are few enough of
 * them: what pods need is then held against every node exactly. Another state comes back as it is; there sums over all nodes of a
 * pool are held, and each node only when pods get their seats.
 */
export function poolPerNode(state: PlanState): PlanState {
  const { pools, nodes, pods } = state
  const binds = nodes.some((node) => node.freeCpuMilli !== undefined || node.freeMemoryMiB !== undefined)
  if (!binds || nodes.length * pods.length > MOST_PAIRS) return state
  const byId = new Map(pools.map((pool) => [pool.id, pool]))
  return {
    pools: nodes.flatMap(({ id, pool }) => {
      const own = byId.get(pool)
      return own === undefined ? [] : [{ ...own, id }]
    }),
    nodes: nodes.map((node) => ({ ...node, pool: node.id })),
    pods: pods.map((pod) => ({ ...pod, slots: slotsByNode(pod, nodes) }))
  }
}

function slotsByNode({ slots }: PlanPod, nodes: PlanState['nodes']): PlanPod['slots'] {
  return Object.fromEntries(
    nodes.flatMap(({ id, pool }) => {
      const slot = Object.hasOwn(slots, pool) ? slots[pool] : undefined
      return slot === undefined ? [] : [[id, slot] as const]
    })
  )
}
