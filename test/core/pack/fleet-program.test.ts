import t from 'tap'
import type { Fleet, WorkloadClass } from '../../../src/core/pack/fleet.ts'
import { fleetProgram } from '../../../src/core/pack/fleet-program.ts'
import { poolOf } from './small-fleet.ts'

const pools = ['a', 'b'].map((id) =>
  poolOf('a30-24gb', {
    id,
    supply: 9,
    zone: id,
    cpuMilli: 5000,
    memoryMiB: 900,
    profiles: ['1g.6gb', '2g.12gb']
  })
)
const small: WorkloadClass = { id: 'small', count: 3, slots: { a: '1g.6gb', b: '1g.6gb' }, cpuMilli: 100 }

/** Rows as text: columns by kind, with their weight. */
function rowsOf(fleet: Fleet): readonly string[] {
  const { program, columns } = fleetProgram(fleet, { mayLeave: true })
  return program.rows.map(({ name, least, most, terms }) => {
    const sum = terms.map(([column, weight]) => `${weight} ${columns[column]?.kind}`).join(' + ')
    return `${name}: ${least} <= ${sum} <= ${most}`
  })
}

t.test('[PACK12] each condition of a fleet is a row', (t) => {
  const rows = rowsOf({
    pools: pools.slice(0, 1),
    workloads: [
      { ...small, maxSkew: 1 },
      { id: 'x', count: 2, slots: { a: '1g.6gb' }, tenant: 'x', isExact: true, memoryMiB: 64 }
    ],
    objective: 'gpus'
  })

  t.strictSame(rows, [
    'all of small: 3 <= 1 workloads + 1 left <= 3',
    'all of x: 2 <= 1 workloads + 1 left <= 2',
    'cards of a: undefined <= 1 cards + 1 cards + 1 cards + 1 cards + 1 cards + 1 cards <= 9',
    'CPU of a: undefined <= 100 workloads <= 5000',
    'memory of a: undefined <= 64 workloads <= 900',
    'pinned to 1g.6gb on a for x: 0 <= 2 cards + 4 cards + -1 opened + -1 workloads <= undefined',
    '1g.6gb or 2g.12gb on a: 0 <= 3 cards + 2 cards + 4 cards + -1 workloads <= undefined',
    'spread of small in a: 0 <= 1 workloads + -1 least <= 1'
  ])
  t.end()
})

t.test('[PACK12] the time that a program takes grows with its size only', (t) => {
  const startMs = performance.now()
  const workloads = Array.from({ length: 20_000 }, (_, index): WorkloadClass => {
    return { ...small, id: `w${index}`, maxSkew: 1, ...(index % 5 === 0 ? { tenant: `t${index}` } : {}) }
  })

  const { program } = fleetProgram({ pools, workloads, objective: 'gpus' }, { mayLeave: true })

  t.equal(program.rows.filter(({ name }) => name.startsWith('all of')).length, 20_000)
  t.equal(program.rows.filter(({ name }) => name.includes(' for t')).length, 8000)
  t.ok(performance.now() - startMs < 5000, `${performance.now() - startMs} ms`)
  t.end()
})

t.test('[PACK12] what no node holds has no place in the pool, and its zone counts all the same', (t) => {
  const [a, b] = pools.map((pool) => ({ ...pool, cards: { ...pool.cards, patterns: [], full: [] } }))
  if (a === undefined || b === undefined) return t.fail('no pools')
  const workloads = [{ ...small, maxSkew: 1 }]

  const rows = rowsOf({ pools: [{ ...a, largestNodeCpuMilli: 99 }, b], workloads, objective: 'gpus' })

  t.strictSame(
    rows.filter((row) => row.startsWith('all') || row.startsWith('spread')),
    [
      'all of small: 3 <= 1 workloads + 1 left <= 3',
      'spread of small in a: 0 <= -1 least <= 1',
      'spread of small in b: 0 <= 1 workloads + -1 least <= 1'
    ]
  )
  return t.end()
})
