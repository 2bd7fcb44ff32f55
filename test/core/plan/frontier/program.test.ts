import t from 'tap'
import { leastCost, mostGain } from '../../../../src/core/plan/frontier/program.ts'
import { aDrain, programIn, tellColumn, twoCards } from './drain-case.ts'

const two = programIn(twoCards('instance', { pods: { p: { replicasLost: 1.5 }, q: { replicasLost: 1.5 } } }))

t.test('[PLAN3] a program tells what each column frees and costs, and how many there can be', (t) => {
  t.strictSame(
    two.columns.map((column, index) => [
      tellColumn(column),
      two.most[index],
      two.gains[index],
      two.costs[index]
    ]),
    [
      ['clear card a+b', 2, 1, 15],
      ['keep a+b: 6 x 1g.10gb', 2, 0, 0],
      ['fill a100: 7 x 1g.10gb', 2, -1, 0],
      ['fill a100: 1 x whole', 2, -1, 0],
      ['move p+q to a100', 2, 0, 0]
    ]
  )
  t.equal(two.unit, 1)
  t.strictSame(
    two.rows.map(({ name }) => name.split(' ')[0]),
    ['moved', 'cards', 'empty', '1g.10gb']
  )
  t.end()
})

t.test('[PLAN1] the most is sought as the least of what is not freed', (t) => {
  const { columns, rows } = mostGain(two)

  t.strictSame(columns, [
    { name: 'clear 0', cost: -1, most: 2, isWhole: true },
    { name: 'keep 1', cost: -0, most: 2, isWhole: true },
    { name: 'fill 2', cost: 1, most: 2, isWhole: true },
    { name: 'fill 3', cost: 1, most: 2, isWhole: true },
    { name: 'move 4', cost: -0, most: 2, isWhole: true }
  ])
  t.equal(rows, two.rows)
  t.end()
})

t.test('[PLAN3] the least cost is sought at which so much is freed', (t) => {
  const { columns, rows } = leastCost(two, 1)

  t.strictSame(
    columns.map(({ cost }) => cost),
    [15, 0, 0, 0, 0]
  )
  t.strictSame(rows.slice(0, -1), two.rows)
  t.strictSame(rows.at(-1), {
    name: 'freed',
    least: 1,
    terms: [
      [0, 1],
      [2, -1],
      [3, -1]
    ]
  })
  t.end()
})

t.test('[PLAN1] where prices count, the unit is what all of them are multiples of', (t) => {
  const state = aDrain({
    m: { unit: 'card', priceUsdPerHour: 1.5, cards: { a: { '1g.10gb@0': 'p' } } },
    n: { unit: 'card', priceUsdPerHour: 4, cards: {} }
  })

  t.equal(programIn(state, { objective: 'price' }).unit, 1.5)
  t.equal(programIn(state, { objective: 'nodes' }).unit, 1)
  t.end()
})

t.test('[PLAN8] a cautious program counts on less of each node', (t) => {
  const node = (pod: string) =>
    ({ unit: 'card', freeCpuMilli: 150, cards: { [`c${pod}`]: { '1g.10gb@0': pod } } }) as const
  const state = aDrain(
    { m: node('p'), n: node('q') },
    { pods: { p: { cpuMilli: 100 }, q: { cpuMilli: 100 } } }
  )

  t.equal(programIn(state).rows.at(-1)?.most, 300)
  t.equal(programIn(state, { isCautious: true }).rows.at(-1)?.most, 200)
  t.end()
})

t.test('[PLAN3] a program grows with kinds of cards and pods, not with how many there are', (t) => {
  const nodes = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `n${index}`,
        { unit: 'instance', cards: { [`c${index}`]: { '1g.10gb@0': `p${index}` } } } as const
      ])
    )

  t.equal(programIn(aDrain(nodes(300))).columns.length, two.columns.length)
  t.equal(programIn(aDrain(nodes(300))).rows.length, two.rows.length)
  t.end()
})
