import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { BINARY_NAMES } from '../bed/control-plane-group.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Answer {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Calls the command; what is not in `folder` is not found. */
function call(args: readonly string[], folder = ''): Promise<Answer> {
  const command = [join(root, 'test/tooling/test-versions.ts'), ...args]
  const env = { PATH: folder, KUBEBUILDER_ASSETS: folder }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { cwd: root, env }, (_fault, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, stdout, stderr })
    })
  })
}

/** A tap in small: one assertion, one test left out, and the release in the name of the file. */
const TAP = `#!/bin/sh
echo "# Subtest: $2"
echo "    ok 1 - one"
echo "    ok 2 - shares by DRA # SKIP alpha and off"
echo "    1..2"
echo "ok 1 - $2 on $BED_KUBERNETES"
`

/** A folder with this tap, and the programs of a control plane, which only tell that they are of this version. */
function folderOf(t: Test, version: string): string {
  const script = `#!/bin/sh\necho 'Kubernetes ${version}'\n`
  const folder = t.testdir({ tap: TAP, ...Object.fromEntries(BINARY_NAMES.map((name) => [name, script])) })
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o755)
  return folder
}

t.test('it tells what it does, and refuses a release that it does not know', async (t) => {
  const help = await call(['--help'])
  const unknown = await call(['--only', '1.33'])

  t.match(help, { code: 0, stdout: /1\.34 and 1\.36/ })
  t.match(unknown, { code: 2, stdout: '', stderr: 'no release 1.33: there are 1.34 and 1.36\n' })
})

t.test('it runs files on a release, and tells what was skipped and why', async (t) => {
  const folder = folderOf(t, 'v1.34.4')
  const json = join(folder, 'out.json')

  const { code, stdout } = await call(['--only', '1.34', '--json', json, 'a.test.ts'], folder)

  t.equal(code, 0)
  t.match(stdout, /^1\.34 +\d+ s 1\/1 ok +a\.test\.ts on 1\.34 \(1 passed, 0 failed, 1 skipped\)$/m)
  t.match(stdout, /^Kubernetes 1\.34: 1 passed, 0 failed, 1 skipped \(\d+ s\)$/m)
  t.match(stdout, /a\.test\.ts on 1\.34: shares by DRA: alpha and off$/m)
  t.match(JSON.parse(readFileSync(json, 'utf8')), [
    {
      version: '1.34',
      counts: { passed: 1, failed: 0, skipped: 1 },
      skipped: [{ name: 'shares by DRA', why: 'alpha and off' }],
      isGood: true
    }
  ])
})

t.test('without the programs of a release its tests are not said to have passed', async (t) => {
  const { code, stdout } = await call(['--only', '1.34', 'a.test.ts'], folderOf(t, 'v1.36.3'))

  t.equal(code, 1)
  t.match(stdout, /^Kubernetes 1\.34: not tested: .*too new/m)
})
