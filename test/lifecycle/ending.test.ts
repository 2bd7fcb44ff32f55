import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const program = fileURLToPath(new URL('ending-child.ts', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly lines: readonly Readonly<Record<string, unknown>>[]
}

/** Runs a process that ends in this way; each line of its log that is a key of `signals` is answered with that signal. */
async function run(
  t: Test,
  way: string,
  signals: Readonly<Record<string, NodeJS.Signals>>,
  graceSeconds = 60
): Promise<Ended> {
  const child = spawn(process.execPath, [program, way, String(graceSeconds)], {
    stdio: ['ignore', 'pipe', 'ignore']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const lines: Record<string, unknown>[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    const line: Record<string, unknown> = JSON.parse(text)
    lines.push(line)
    const signal = signals[String(line['msg'])]
    if (signal !== undefined) child.kill(signal)
  }
  const [code] = await exited
  return { code, lines }
}

t.test('a signal leads to an orderly end', async (t) => {
  const { code, lines } = await run(t, 'orderly', { runs: 'SIGTERM' })

  t.equal(code, 0)
  t.match(lines, [{ msg: 'runs' }, { level: 'info', msg: 'signal received', signal: 'SIGTERM' }])
})

t.test('a second signal ends it at once', async (t) => {
  const { code, lines } = await run(t, 'hangs', { runs: 'SIGINT', 'signal received': 'SIGTERM' })

  t.equal(code, 1)
  t.match(lines, [{ msg: 'runs' }, { msg: 'signal received', signal: 'SIGINT' }])
  t.equal(lines.length, 2, 'it does not wait for its grace to be over')
})

for (const way of ['hangs', 'lingers']) {
  t.test(`a process that ${way} when it is to end is ended, and says so`, async (t) => {
    const { code, lines } = await run(t, way, { runs: 'SIGTERM' }, 0.5)

    t.equal(code, 1)
    t.match(lines.at(-1), { level: 'error', msg: 'orderly end takes too long', graceSeconds: 0.5 })
  })
}

t.test('a process whose work failed does not linger either', async (t) => {
  const { code, lines } = await run(t, 'fails', {}, 0.5)

  t.equal(code, 1)
  t.match(lines, [{ msg: 'runs' }, { level: 'error', msg: 'orderly end takes too long' }])
})

for (const [way, message] of [
  ['rejects', 'nobody looks'],
  ['throws', 'in a callback']
] as const) {
  t.test(`a fault that nobody caught ends it with a line in the log: it ${way}`, async (t) => {
    const { code, lines } = await run(t, way, {})

    t.equal(code, 1)
    t.match(lines, [{ msg: 'runs' }, { level: 'error', msg: 'fault that nobody caught', err: { message } }])
  })
}
