import t from 'tap'
import type { Fleet, WorkloadClass } from '../../../src/core/pack/fleet.ts'
import { readFleetPlan, readLeft } from '../../../src/core/pack/fleet-plan.ts'
import { fleetProgram } from '../../../src/core/pack/fleet-program.ts'
import { layOutCards } from '../../../src/core/pack/layouts.ts'
import { poolOf } from './small-fleet.ts'

const pool = poolOf('a30-24gb', {
  supply: 3,
  priceUsdPerHour: 0.9,
  profiles: ['1g.6gb', '2g.12gb'],
  cpuMilli: 9000
})
const quarter: WorkloadClass = { id: 'quarter', count: 5, slots: { 'a30-24gb': '1g.6gb' }, cpuMilli: 1000 }
const fleet: Fleet = { pools: [pool], workloads: [quarter], objective: 'price' }
const asked = fleetProgram(fleet, { mayLeave: false })

/** Values by what the columns are about: cards by their number of quarters, and workloads. */
function valuesOf(cards: Readonly<Record<number, number>>, workloads: number): readonly number[] {
  return asked.columns.map((column) => {
    if (column.kind === 'cards') return cards[column.pattern.slots['1g.6gb'] ?? 0] ?? 0
    return column.kind === 'workloads' ? workloads : 0
  })
}

const noPrices = asked.program.rows.map(() => 0)
/** A quarter of a card for each workload. */
const prices = asked.program.rows.map(({ name }) => {
  if (name === 'all of quarter') return 0.25
  return name.startsWith('1g.6gb or ') ? 0.25 : 0
})

t.test('[PACK12] the program is small, and costs are whole in units of the price', (t) => {
  t.equal(asked.unit, 0.9)
  t.strictSame(
    asked.program.rows.map(({ name }) => name),
    ['all of quarter', 'cards of a30-24gb', 'CPU of a30-24gb', '1g.6gb or 2g.12gb on a30-24gb']
  )
  t.strictSame(
    asked.columns.map(({ kind }) => kind),
    ['cards', 'cards', 'cards', 'workloads']
  )
  t.end()
})

t.test('[PACK14] a plan says what proves it', (t) => {
  const best = { values: valuesOf({ 4: 2 }, 5), bound: 2, prices }
  const worse = valuesOf({ 4: 3 }, 5)

  t.match(readFleetPlan(asked, best), {
    kind: 'planned',
    gpus: 2,
    cost: 1.8,
    bound: 1.8,
    gapRatio: 0,
    provedBy: 'prices'
  })
  t.match(readFleetPlan(asked, { ...best, prices: noPrices }), {
    bound: 1.8,
    gapRatio: 0,
    provedBy: 'solver'
  })
  t.match(readFleetPlan(asked, { ...best, values: worse }), {
    cost: 2.7,
    bound: 1.8,
    gapRatio: 1 / 3,
    provedBy: 'none'
  })
  t.end()
})

t.test('[PACK13] an answer that breaks a condition is no plan', (t) => {
  const read = (values: readonly number[]): unknown => readFleetPlan(asked, { values, bound: 0, prices })

  t.strictSame(read(valuesOf({ 4: 1 }, 5)), {
    kind: 'wrong-answer',
    broken: ['1g.6gb or 2g.12gb on a30-24gb']
  })
  t.strictSame(read(valuesOf({ 4: 2 }, 4)), { kind: 'wrong-answer', broken: ['all of quarter'] })
  t.strictSame(read(valuesOf({ 4: 1.5 }, 5)), { kind: 'wrong-answer', broken: ['whole numbers'] })
  t.strictSame(read(valuesOf({ 4: 9 }, 5)), {
    kind: 'wrong-answer',
    broken: ['cards 2', 'cards of a30-24gb']
  })
  t.end()
})

const leaving = fleetProgram({ ...fleet, workloads: [{ ...quarter, count: 20 }] }, { mayLeave: true })

/** Values where so many of 20 stay outside; 9 find room by their CPU, 12 by the cards. */
function leftValues(left: number): readonly number[] {
  return leaving.columns.map((column) => {
    if (column.kind === 'cards') return column.pattern.slots['1g.6gb'] === 4 ? 3 : 0
    return column.kind === 'left' ? left : 20 - left
  })
}

/** One for each workload, less a thousandth for each of its CPU: 20 - 9. */
const leftPrices = leaving.program.rows.map(({ name }) => {
  if (name === 'all of quarter') return 1
  return name.startsWith('CPU') ? -1 / 1000 : 0
})

t.test('[PACK15] what is left says what proves that less cannot be', (t) => {
  const read = (left: number, bound: number, prices: readonly number[]): unknown =>
    readLeft(leaving, { values: leftValues(left), bound, prices })
  const leftOf = (count: number): object => ({ kind: 'no-room', left: [{ workload: 'quarter', count }] })

  t.strictSame(read(11, 0, leftPrices), { ...leftOf(11), leftBound: 11, provedBy: 'prices' })
  t.strictSame(read(11, 10.5, []), { ...leftOf(11), leftBound: 11, provedBy: 'solver' })
  t.strictSame(read(12, 9.5, []), { ...leftOf(12), leftBound: 10, provedBy: 'none' })
  t.strictSame(read(12, -Infinity, []), { ...leftOf(12), leftBound: 1, provedBy: 'none' })
  t.end()
})

t.test('[PACK13] what is left is read from a checked answer too', (t) => {
  const read = (values: readonly number[]): unknown => readLeft(leaving, { values, bound: 0, prices: [] })

  t.strictSame(read(leftValues(10)), { kind: 'wrong-answer', broken: ['CPU of a30-24gb'] })
  t.match(read(leftValues(11).map(() => 0)), { kind: 'wrong-answer' })
  t.match(read(leftValues(11).map(() => 0.5)), { kind: 'wrong-answer', broken: ['whole numbers'] })
  t.end()
})

t.test('[PACK13] where nobody is left, the solver was wrong that not all find room', (t) => {
  const roomy = fleetProgram(fleet, { mayLeave: true })
  const values = roomy.columns.map((column, index) =>
    column.kind === 'left' ? 0 : (valuesOf({ 4: 2 }, 5)[index] ?? 0)
  )

  t.strictSame(readLeft(roomy, { values, bound: 0, prices: [] }), {
    kind: 'wrong-answer',
    broken: ['infeasible']
  })
  t.end()
})

t.test('[PACK11] a site of a plan is laid out card by card', (t) => {
  const plan = readFleetPlan(asked, { values: valuesOf({ 4: 2 }, 5), bound: 2, prices })
  const site = plan.kind === 'planned' ? plan.sites[0] : undefined
  if (site === undefined) return t.fail('no site')

  const cards = layOutCards(site, [
    { profile: '1g.6gb', isExact: false, workloads: ['a', 'b', 'c', 'd', 'e'] }
  ])

  t.strictSame(
    cards.map(({ slots }) => slots.map(({ workload }) => workload)),
    [
      ['a', 'b', 'c', 'd'],
      ['e', undefined, undefined, undefined]
    ]
  )
  return t.end()
})
