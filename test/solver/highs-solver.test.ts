import t from 'tap'
import { boundByPrices, brokenLimits, type IntegerProgram } from '../../src/core/pack/integer-program.ts'
import { HighsSolver } from '../../src/solver/highs-solver.ts'
import { triangle } from '../build/triangle.ts'

const solver = new HighsSolver()
t.teardown(() => solver.close())
const limits = { timeLimitMs: 60_000, signal: new AbortController().signal }

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
