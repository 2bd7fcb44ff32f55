import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readCertificates } from '../../src/tls/read-certificates.ts'

const script = fileURLToPath(new URL('../../certs/make.ts', import.meta.url))

function run(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })
}

t.test('writes the three files, the key for its owner only', async (t) => {
  const out = join(t.testdir(), 'new', 'certs')

  const { code, stdout } = await run('--out', out, '--days', '2', '--ip', '127.0.0.1')

  t.equal(code, 0)
  t.match(stdout, /wrote .*ca\.crt\nwrote .*tls\.crt\nwrote .*tls\.key\n/)
  const files = { certFile: join(out, 'tls.crt'), keyFile: join(out, 'tls.key') }
  await t.resolves(readCertificates(files, Date.now()))
  t.equal((await stat(files.keyFile)).mode & 0o777, 0o600)
})

t.test('--help tells the options', async (t) => {
  const { code, stdout } = await run('--help')

  t.equal(code, 0)
  for (const option of ['--out', '--service', '--namespace', '--days', '--ip']) t.match(stdout, option)
})

for (const args of [
  ['--days', 'many'],
  ['--days', '0'],
  ['--colour', 'red']
]) {
  t.test(`${args.join(' ')} is refused with the usage`, async (t) => {
    const { code, stderr } = await run(...args)

    t.equal(code, 2)
    t.match(stderr, args[0] ?? '')
    t.match(stderr, 'usage:')
  })
}
