import t from 'tap'
import { boundByPrices, brokenLimits, type IntegerProgram } from '../../src/core/pack/integer-program.ts'
import { HighsSolver } from '../../src/solver/highs-solver.ts'
import { randomFrom } from '../bench/estimator/random.ts'
import { triangle } from '../build/triangle.ts'

const solver = new HighsSolver()
t.teardown(() => solver.close())
const limits = { timeLimitMs: 60_000, signal: new AbortController().signal }

/** A market split: solvers go through very many answers before they find that none is right. */
function hardProgram(): IntegerProgram {
  const { uniform } = randomFrom(3)
  const columns = Array.from({ length: 50 }, (_, index) => {
    return { name: `c${index}`, cost: 1, most: 1, isWhole: true }
  })
  const rows = Array.from({ length: 6 }, (_, index) => {
    const terms = columns.map((_, column) => [column, Math.floor(uniform() * 100)] as const)
    const half = Math.floor(terms.reduce((sum, [, weight]) => sum + weight, 0) / 2)
    return { name: `r${index}`, least: half, most: half, terms }
  })
  return { columns, rows }
}

t.test('finds an answer, a bound and prices that prove it', async (t) => {
  const answer = await solver.solve(triangle, limits)

  t.match(answer, { kind: 'solved', bound: 2 })
  if (answer.kind !== 'solved') return t.end()
  t.strictSame(brokenLimits(triangle, answer.values), [])
  t.equal(boundByPrices(triangle, answer.prices), 2)
  return t.end()
})

t.test('ends only when there is no gap, also a small one', async (t) => {
  const large: IntegerProgram = {
    columns: [
      { name: 'three', cost: 3, most: 1e6, isWhole: true },
      { name: 'five', cost: 5, most: 1e6, isWhole: true }
    ],
    rows: [
      {
        name: 'sum',
        least: 1_000_001,
        terms: [
          [0, 3],
          [1, 5]
        ]
      }
    ]
  }

  t.match(await solver.solve(large, limits), { kind: 'solved', bound: 1_000_001 })
  t.end()
})

t.test('tells what cannot be from what is empty', async (t) => {
  const never = { ...triangle, rows: [{ name: 'a', least: 99, terms: [[0, 1]] as const }] }
  const nothing = { columns: [], rows: [] }

  t.strictSame(await solver.solve(never, limits), { kind: 'infeasible' })
  t.strictSame(await solver.solve(nothing, limits), { kind: 'solved', values: [], bound: 0, prices: [] })
  t.strictSame(await solver.solve({ columns: [], rows: [{ name: 'a', least: 1, terms: [] }] }, limits), {
    kind: 'infeasible'
  })
  t.end()
})

t.test('says that time is up', async (t) => {
  t.match(await solver.solve(triangle, { ...limits, timeLimitMs: 0 }), { kind: 'out-of-time' })
  t.end()
})

t.test('names a program without a least cost, and goes on afterwards', async (t) => {
  const endless = { columns: [{ name: 'x', cost: -1, most: Infinity, isWhole: true }], rows: [] }

  await t.rejects(solver.solve(endless, limits), { code: 'SOLVER_FAILED', message: /unbounded/ })
  t.match(await solver.solve(triangle, limits), { kind: 'solved' })
  t.end()
})

t.test('answers a program without conditions', async (t) => {
  const free = { ...triangle, rows: [] }

  t.match(await solver.solve(free, limits), { kind: 'solved', values: [0, 0, 0] })
  t.end()
})

for (const timeLimitMs of [Infinity, 2 ** 31, 1e300]) {
  t.test(`a limit of ${timeLimitMs} ms is none`, async (t) => {
    t.match(await solver.solve(triangle, { ...limits, timeLimitMs }), { kind: 'solved', bound: 2 })
    t.end()
  })
}

t.test('a limit below zero is over, and one that is no number is named', async (t) => {
  t.match(await solver.solve(triangle, { ...limits, timeLimitMs: -5 }), {
    kind: 'out-of-time',
    prices: [0, 0, 0]
  })
  await t.rejects(solver.solve(triangle, { ...limits, timeLimitMs: Number.NaN }), {
    code: 'SOLVER_FAILED',
    message: 'the time limit is NaN, not a number of ms'
  })
  t.match(await solver.solve(triangle, limits), { kind: 'solved' })
  t.end()
})

t.test('a question that waits is told at once that it is aborted, or that its time is up', async (t) => {
  const stop = new AbortController()
  const abort = new AbortController()
  const told: string[] = []
  const note = (name: string) => (): number => told.push(name)

  const busy = solver.solve(hardProgram(), { timeLimitMs: 30_000, signal: stop.signal }).catch(note('busy'))
  const aborted = solver.solve(triangle, { timeLimitMs: 30_000, signal: abort.signal }).catch(note('aborted'))
  const late = solver.solve(triangle, { ...limits, timeLimitMs: 1 })
  const patient = solver.solve(triangle, limits)
  abort.abort(new Error('aborted'))
  await aborted
  t.strictSame(await late, { kind: 'out-of-time', prices: [0, 0, 0] })
  t.strictSame(told, ['aborted'])
  stop.abort(new Error('busy'))
  await busy

  t.match(await patient, { kind: 'solved', bound: 2 })
  t.strictSame(told, ['aborted', 'busy'])
  t.end()
})

t.test('what went before does not count when it failed', async (t) => {
  const wrong = { ...triangle, rows: [{ name: 'a', least: 1, terms: [[7, 1]] as const }] }

  const answers = await Promise.allSettled([solver.solve(wrong, limits), solver.solve(triangle, limits)])

  t.strictSame(
    answers.map(({ status }) => status),
    ['rejected', 'fulfilled']
  )
  t.end()
})

t.test('ends when it is aborted, while it waits and while it solves, and goes on afterwards', async (t) => {
  const before = new AbortController()
  before.abort(new Error('before'))
  const during = new AbortController()

  await t.rejects(solver.solve(triangle, { timeLimitMs: 1000, signal: before.signal }), { message: 'before' })
  const solving = solver.solve(triangle, { timeLimitMs: 1000, signal: during.signal })
  setImmediate(() => during.abort(new Error('during')))
  await t.rejects(solving, { message: 'during' })
  t.match(await solver.solve(triangle, limits), { kind: 'solved' })
  t.end()
})

t.test('names what HiGHS does not take, and goes on afterwards', async (t) => {
  const wrong = { ...triangle, rows: [{ name: 'a', least: 1, terms: [[7, 1]] as const }] }

  await t.rejects(solver.solve(wrong, limits), { code: 'SOLVER_FAILED', message: /^HiGHS: / })
  t.match(await solver.solve(triangle, limits), { kind: 'solved' })
  t.end()
})

t.test('answers several questions in their order', async (t) => {
  const answers = await Promise.all([
    solver.solve(triangle, limits),
    solver.solve({ columns: [], rows: [] }, limits)
  ])

  t.strictSame(
    answers.map((answer) => answer.kind === 'solved' && answer.bound),
    [2, 0]
  )
  t.end()
})
