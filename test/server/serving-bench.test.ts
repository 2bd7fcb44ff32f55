import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { isMet } from '../bench/report.ts'

/* The short form of `npm run bench:serving`: whether it runs and tells everything, not how long anything takes. */

const program = fileURLToPath(new URL('../bench/serving-bench.ts', import.meta.url))

async function run(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [program, ...args])).stdout
}

interface Entry {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly comparison: '<=' | null
  readonly goal: number | null
  readonly met: boolean | null
}

async function entriesOf(t: Test, part: string): Promise<readonly Entry[]> {
  const file = join(t.testdir(), 'figures.json')
  const table = await run('--short', '--only', part, '--json', file)
  const entries: readonly Entry[] = JSON.parse(readFileSync(file, 'utf8'))
  for (const { name } of entries) t.ok(table.includes(name), `the table has "${name}"`)
  return entries
}

const goals: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  rate: {
    '50 rps, rewriting: handler, p50': 0.3,
    '50 rps, rewriting: handler, p99': 3,
    '50 rps, isolation: handler, p50': 0.3,
    '50 rps, isolation: handler, p99': 3,
    '50 rps, advice: handler, p50': 0.3,
    '50 rps, advice: handler, p99': 3,
    '50 rps: p99 from outside over echo': 1.25,
    '50 rps: CPU per review over echo': 1.25
  },
  'flat-out': {
    'flat out, rewriting, kept: CPU per review over echo': 1.25,
    'flat out, rewriting, rewritten: CPU per review over echo': 1.25,
    'flat out, isolation: CPU per review over echo': 1.25,
    'flat out, advice: CPU per review over echo': 1.25
  },
  start: { 'cold start to ready, 1000 nodes, from the sources': 2 }
}

for (const [part, want] of Object.entries(goals)) {
  t.test(`${part}: every figure is measured, and stands beside its goal`, async (t) => {
    const entries = await entriesOf(t, part)

    const withGoals = entries.filter(({ goal }) => goal !== null)
    t.strictSame(Object.fromEntries(withGoals.map(({ name, goal }) => [name, goal])), want)
    for (const { name, value, comparison, goal, met } of entries) {
      t.ok(Number.isFinite(value) && value >= 0, `${name}: ${value}`)
      if (goal === null || comparison === null) t.equal(met, null)
      else t.equal(met, isMet({ name, value, unit: '', comparison, goal }))
    }
  })
}

t.test('it says how it is used, and what it does not know', async (t) => {
  t.match(await run('--help'), /--only rate\|flat-out\|memory\|start/)
  await t.rejects(run('--only', 'nothing'), /no benchmark "nothing"/)
})
