import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { until } from './until.ts'

/** Starts one program of a bed in `directory`, tells its pid, and then lives until it is ended. */
const SCRIPT = `
import { watchOver } from '${join(import.meta.dirname, 'cleanup.ts')}'
import { startComponent } from '${join(import.meta.dirname, 'component.ts')}'
const [directory, end] = process.argv.slice(-2)
const cleanup = watchOver(directory, () => component.stop())
const spec = { name: 'sleeper', file: '/bin/sleep', args: ['600'], directory }
const component = await startComponent(spec, cleanup)
process.stdout.write(String(component.pid))
if (end === 'throw') setTimeout(() => { throw new Error('a test fell over') }, 1)
else if (end === 'exit') setTimeout(() => process.exit(0), 1)
else setInterval(() => undefined, 1000)
`

const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL', 'throw', 'exit'] as const

for (const end of ENDS) {
  await t.test(`nothing is left after ${end}`, async (t) => {
    const directory = join(t.testdir({ bed: {} }), 'bed')
    const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, '--', directory, end], {
      stdio: ['ignore', 'pipe', 'ignore']
    })
    const [pid] = await once(child.stdout, 'data')

    if (end !== 'throw' && end !== 'exit') child.kill(end)
    await once(child, 'exit')

    await until('program gone', () => !isRunning(Number(String(pid))), 5_000)
    await until('folder gone', () => !existsSync(directory), 5_000)
    if (end.startsWith('SIG')) t.equal(child.signalCode, end)
  })
}

/** A killed process whose new parent has not looked yet is still listed, in state Z; it runs no more. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}
