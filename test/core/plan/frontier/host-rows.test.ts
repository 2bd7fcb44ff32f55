import t from 'tap'
import { drainColumns } from '../../../../src/core/plan/frontier/columns.ts'
import { hostRows } from '../../../../src/core/plan/frontier/host-rows.ts'
import type { PlanPod, PlanState } from '../../../../src/core/plan/plan-state.ts'
import type { ShortNode } from '../order-case.ts'
import { aDrain, classesIn, type ShortAsk, tellRows } from './drain-case.ts'

/** Rows in words, after their names. */
function told(state: PlanState, ask: ShortAsk = {}): readonly string[] {
  const { isCautious = false } = ask
  const classes = classesIn(state, ask)
  const columns = drainColumns(state, classes)
  const rows = hostRows({ isCautious, state, classes, columns })
  return tellRows({ columns, rows }).map((text, index) => `${rows[index]?.name}: ${text}`)
}

/** Nodes with a card and a pod each, and with what is left of them. */
function nodesWith(
  free: Readonly<Record<string, Partial<ShortNode>>>,
  pods: Readonly<Record<string, Partial<PlanPod>>>
): PlanState {
  const nodes = Object.entries(free).map(([id, node]): readonly [string, ShortNode] => [
    id,
    { unit: 'instance', cards: { [`${id}1`]: { '1g.10gb@0': `p${id}` } }, ...node }
  ])
  return aDrain(Object.fromEntries(nodes), { pods })
}

t.test('[PLAN8] nodes together have what comes, and what leaves gives back what it had', (t) => {
  const state = nodesWith(
    { m: { freeCpuMilli: 100, freeMemoryMiB: 5 }, n: { freeCpuMilli: 250, freeMemoryMiB: 6 } },
    { pm: { cpuMilli: 300 }, pn: { memoryMiB: 7 } }
  )

  t.strictSame(told(state), [
    'cpuMilli of a100: ..350 of -300 clear card m1, 300 move pm to a100',
    'memoryMiB of a100: ..11 of -7 clear card n1, 7 move pn to a100'
  ])
  t.end()
})

t.test('[PLAN8] a node that is freed has nothing more to give, one that is opened has', (t) => {
  const state = nodesWith(
    { m: { freeCpuMilli: 100 }, n: { freeCpuMilli: 250, cards: { n1: {} } } },
    { pm: { cpuMilli: 300 } }
  )

  t.strictSame(told(state, { objective: 'nodes' }), [
    'cpuMilli of a100: ..100 of -300 clear card m1, 100 clear freed m, -250 clear opened n, 300 move pm to a100'
  ])
  t.end()
})

t.test(
  '[PLAN8] a cautious row counts whole multiples of the largest need, and nothing that is left behind',
  (t) => {
    const state = nodesWith(
      { m: { freeCpuMilli: 650 }, n: { freeCpuMilli: 299 } },
      { pm: { cpuMilli: 300 }, pn: { cpuMilli: 200 } }
    )

    t.strictSame(told(state, { isCautious: true, objective: 'nodes' }), [
      'cpuMilli of a100: ..600 of 600 clear freed m, 300 move pm to a100, 200 move pn to a100'
    ])
    t.end()
  }
)

t.test('[PLAN8] a node that does not bind has room for all, as long as it is there', (t) => {
  const pods = { pm: { cpuMilli: 300 }, pn: { cpuMilli: 200 } }
  const state = nodesWith({ m: { freeCpuMilli: 0 }, n: {} }, pods)
  const opened = nodesWith({ m: { freeCpuMilli: 0 }, n: { freeCpuMilli: 0 }, o: { cards: { o1: {} } } }, pods)

  t.strictSame(told(state, { objective: 'nodes' }), [
    'cpuMilli of a100: ..500 of -300 clear card m1, -200 clear card n1, 500 clear freed n, 300 move pm to a100, ' +
      '200 move pn to a100'
  ])
  t.strictSame(told(opened, { objective: 'nodes' }), [
    'cpuMilli of a100: ..0 of -300 clear card m1, -200 clear card n1, -500 clear opened o, 300 move pm to a100, ' +
      '200 move pn to a100'
  ])
  t.end()
})

t.test('[PLAN8] where no node binds, where nothing is needed or nobody can leave, there is no row', (t) => {
  const needs = { pm: { cpuMilli: 300 } }

  t.strictSame(told(nodesWith({ m: {}, n: {} }, needs)), [])
  t.strictSame(
    told(nodesWith({ m: { freeCpuMilli: 1 }, n: { freeCpuMilli: 1 } }, {}), { isCautious: true }),
    []
  )
  t.strictSame(
    told(nodesWith({ m: { freeCpuMilli: 1 } }, { pm: { cpuMilli: 300, stays: 'its budget' } })),
    []
  )
  t.strictSame(told(nodesWith({ m: { freeCpuMilli: 1, stays: 'cordoned' } }, needs)), [])
  t.end()
})

t.test('[PLAN8] each pool has its own nodes', (t) => {
  const state = nodesWith(
    { m: { freeCpuMilli: 1 }, n: { freeCpuMilli: 2, pool: 'z' } },
    { pm: { cpuMilli: 300, slots: { a100: '1g.10gb', z: '1g.10gb' } } }
  )
  const pools = state.pools.flatMap((pool) => [pool, { ...pool, id: 'z' }])

  t.strictSame(told({ ...state, pools }), [
    'cpuMilli of a100: ..1 of -300 clear card m1, 300 move pm to a100',
    'cpuMilli of z: ..2 of 300 move pm to z'
  ])
  t.end()
})
