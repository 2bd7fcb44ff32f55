import { join } from 'node:path'
import t from 'tap'
import { fuzzFigures } from './fuzz-figures.ts'
import { readOptions } from './fuzz-options.ts'
import { freshState, readState, withChunk, withMemory, writeState } from './fuzz-state.ts'
import { relativeSlope } from './slope.ts'

const finding = { index: 3, path: '/rewrite', law: 'a law', steps: ['drop'] }
const result = {
  from: 0,
  to: 5,
  findings: [finding],
  outcomes: { '/rewrite patch': 2 },
  slowest: { index: 4, cpuMs: 12 },
  rssMiB: 100,
  cpuSeconds: 1
}

t.test('a run goes on where it stopped', async (t) => {
  const file = join(t.testdir({}), 'state.json')
  const first = withMemory(withChunk(freshState(1, 5), result), 'a', 100.04)
  writeState(file, first)

  const second = withMemory(withChunk(readState(file, 1, 5), { ...result, from: 5, to: 10 }), 'a', 101)

  t.match(second, {
    done: [0, 5],
    tried: 10,
    findings: [finding, finding],
    outcomes: { '/rewrite patch': 4 },
    memory: [{ life: 'a', rssMiB: [100, 101] }]
  })
})

t.test('a file of another seed is refused, one that is not there is a beginning', async (t) => {
  const file = join(t.testdir({}), 'state.json')

  t.strictSame(readState(file, 1, 5), freshState(1, 5))
  writeState(file, freshState(1, 5))
  t.throws(() => readState(file, 2, 5), /seed 1/)
})

t.test('memory that grows is told from memory that only swings', async (t) => {
  const series = (at: (nth: number) => number) => Array.from({ length: 40 }, (_, nth) => at(nth))

  t.ok(Math.abs(relativeSlope(series((nth) => 200 + (nth % 2))) ?? 1) < 0.01)
  t.ok((relativeSlope(series((nth) => 200 + nth)) ?? 0) > 0.1)
  t.ok((relativeSlope(series((nth) => (nth < 8 ? 50 : 200))) ?? 1) === 0, 'the warm-up does not count')
  t.equal(relativeSlope([1, 2, 3]), undefined)
})

t.test('findings and growth miss their goals', async (t) => {
  const grown = Array.from({ length: 40 }, (_, nth) => 100 + nth)
  const state = { ...withChunk(freshState(1, 5), result), memory: [{ life: 'a', rssMiB: grown }] }

  const figures = fuzzFigures({ ...state, seconds: 1 }, 1)

  t.match(
    figures.find(({ name }) => name === 'findings'),
    { value: 1, goal: 0 }
  )
  const change = figures.find(({ name }) => name.includes('change'))
  t.ok((change?.value ?? 0) > 0.05 && change?.goal === 0.05)
})

for (const { args, want } of [
  { args: [], want: { kind: 'run', count: 1_000_000, seed: 1 } },
  { args: ['--count', '7', '--seed', '9', '--only', '3'], want: { kind: 'run', count: 7, seed: 9, only: 3 } },
  { args: ['--help'], want: { kind: 'help', code: 0 } },
  { args: ['--count', '-1'], want: { kind: 'help', code: 2 } },
  { args: ['--nonsense'], want: { kind: 'help', code: 2 } }
])
  t.test(`called with ${JSON.stringify(args)}`, async (t) => {
    t.match(readOptions(args), want)
  })
