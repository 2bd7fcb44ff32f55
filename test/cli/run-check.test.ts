import t from 'tap'
import type { NamedFinding } from '../../src/check/checks.ts'
import type { FindingLevel } from '../../src/check/finding.ts'
import { type CheckCommand, runCheck } from '../../src/cli/run-check.ts'
import { FakeClock } from '../fakes/fake-clock.ts'

const finding = (level: FindingLevel, text: string, fix?: string): NamedFinding => ({
  check: 'reach',
  level,
  text,
  ...(fix === undefined ? {} : { fix })
})

/** Runs the command over looks, of which the last one stays. */
async function run(
  looks: readonly (readonly NamedFinding[])[],
  changes: Partial<CheckCommand> & { readonly clock?: FakeClock } = {}
) {
  const printed: string[] = []
  let seen = 0
  const clock = changes.clock ?? new FakeClock()
  const code = await runCheck({
    look: async () => {
      seen += 1
      return looks[Math.min(seen, looks.length) - 1] ?? []
    },
    waitMs: 0,
    strict: false,
    output: 'table',
    stdout: { write: (text) => printed.push(text) },
    signal: new AbortController().signal,
    ...changes,
    clock
  })
  return { code, text: printed.join(''), seen }
}

t.test('findings are lines with what to do beside them, and the exit code is told', async (t) => {
  const { code, text } = await run([
    [finding('ok', 'well'), finding('warn', 'not so well', 'this'), finding('info', 'so', 'that')]
  ])

  t.equal(
    text,
    [
      ' ok    well',
      ' warn  not so well  fix: this',
      ' info  so           fix: that',
      'exit code 0 (warnings); use --strict to fail on warnings',
      ''
    ].join('\n')
  )
  t.equal(code, 0)
})

for (const { level, strict, code } of [
  { level: 'ok', strict: true, code: 0 },
  { level: 'info', strict: true, code: 0 },
  { level: 'warn', strict: false, code: 0 },
  { level: 'warn', strict: true, code: 4 },
  { level: 'fail', strict: false, code: 4 }
] as const) {
  t.test(`${level} exits ${code}${strict ? ' with --strict' : ''}`, async (t) => {
    const ended = await run([[finding(level, 'x')]], { strict })

    t.equal(ended.code, code)
    t.match(ended.text, `exit code ${code}`)
  })
}

t.test('JSON is a versioned list', async (t) => {
  const { text } = await run([[finding('fail', 'x', 'y')]], { output: 'json' })

  t.strictSame(JSON.parse(text), {
    apiVersion: 'cli.rightslice.dev/v1alpha1',
    kind: 'CheckList',
    summary: { worst: 'fail' },
    items: [{ check: 'reach', level: 'fail', text: 'x', fix: 'y' }]
  })
})

t.test('it waits until nothing fails any more', async (t) => {
  const clock = new FakeClock()
  const running = run([[finding('fail', 'early')], [finding('fail', 'still')], [finding('ok', 'well')]], {
    waitMs: 60_000,
    clock
  })

  for (let look = 0; look < 2; look += 1) {
    await clock.untilSleep((ms) => ms === 2000)
    clock.advance(2000)
  }

  t.match(await running, { code: 0, seen: 3, text: ' ok    well\nexit code 0\n' })
})

t.test('it waits no longer than it was told to', async (t) => {
  const clock = new FakeClock()
  const running = run([[finding('fail', 'x')]], { waitMs: 3000, clock })

  await clock.untilSleep((ms) => ms === 2000)
  clock.advance(2000)

  t.match(await running, { code: 4, seen: 2 })
})

t.test('who gives up waiting gets what was seen', async (t) => {
  const { code, seen } = await run([[finding('fail', 'x')]], {
    waitMs: 60_000,
    signal: AbortSignal.abort()
  })

  t.strictSame([code, seen], [4, 1])
})
