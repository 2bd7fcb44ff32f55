import { execFile } from 'node:child_process'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

t.setTimeout(180_000) // it builds the whole product

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function rightslice(entry: string, ...args: readonly string[]): Promise<Ended> {
  try {
    return { code: 0, ...(await run(process.execPath, [entry, ...args], { cwd: root })) }
  } catch (fault) {
    return { code: 1, stdout: '', stderr: '', ...Object(fault) }
  }
}

const source = join(root, 'src/cli.ts')

/** What the demo shows, in its order. */
const demoRows = [
  ['search/reranker', 'nvidia.com/gpu 1 -> nvidia.com/mig-1g.5gb 1', 'FitsMigProfile'],
  ['search/embedder', 'nvidia.com/gpu 1 -> nvidia.com/mig-2g.10gb 1', 'FitsMigProfile'],
  ['search/ocr', 'nvidia.com/gpu 1 -> nvidia.com/mig-3g.20gb 1', 'FitsMigProfile'],
  ['search/nightly-eval-29012345', 'nvidia.com/gpu 1 -> nvidia.com/mig-2g.10gb 1', 'FitsMigProfile'],
  ['ml-dev/notebook-anna', 'nvidia.com/gpu 1 -> nvidia.com/gpu.shared 1', 'FitsSharedReplica'],
  ['ml-dev/notebook-ben', 'nvidia.com/gpu 1 -> shared, by node choice', 'FitsSharedReplica'],
  ['search/chat', 'nvidia.com/gpu 1 unchanged', 'SelfSizing'],
  ['search/translate', 'nvidia.com/gpu 1 unchanged', 'TooLittleHistory'],
  ['search/brand-new', 'nvidia.com/gpu 1 unchanged', 'NoHistory'],
  ['search/ranker-v2', 'nvidia.com/gpu 1 unchanged', 'Pinned'],
  ['train/llm-ft', 'nvidia.com/gpu 8 unchanged', 'MultiGpuRequest'],
  ['train/simulation', 'nvidia.com/gpu 1 unchanged', 'ComputeTooHigh'],
  ['web/captions', 'nvidia.com/gpu 1 unchanged', 'ProposeOnly'],
  ['train/gpu-burn', 'nvidia.com/gpu 1 unchanged', 'PinnedToNode']
]

t.test('the demo sends every pod through the real webhook and ends', async (t) => {
  const { code, stdout, stderr } = await rightslice(source, 'demo', '--once', '--output', 'json')

  t.equal(code, 0, stderr)
  const rows: readonly Record<string, unknown>[] = JSON.parse(stdout)
  t.strictSame(
    rows.map(({ pod, change, reason }) => [pod, change, reason]),
    demoRows
  )
  t.ok(rows.every(({ sentence, durationMs }) => String(sentence).length > 10 && Number(durationMs) > 0))
})

t.test('what is built runs like the source', async (t) => {
  const place = t.testdir({})
  await run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    join(root, 'src'),
    '--outDir',
    join(place, 'dist')
  ])
  await mkdir(join(place, 'docs'))
  await cp(join(root, 'docs/reasons'), join(place, 'docs/reasons'), { recursive: true })
  await cp(join(root, 'manifests'), join(place, 'manifests'), { recursive: true })
  await cp(join(root, 'package.json'), join(place, 'package.json'))
  await symlink(join(root, 'node_modules'), join(place, 'node_modules'))
  const built = join(place, 'dist/cli.js')

  const demo = await rightslice(built, 'demo', '--once')
  const page = await rightslice(built, 'explain', '--reason', 'NoHistory')
  const manifests = await rightslice(built, 'manifests')

  t.equal(demo.code, 0, demo.stderr)
  t.match(demo.stdout, /6 of 14 pods get a share/)
  t.match(page.stdout, /^# NoHistory\n/)
  t.equal(manifests.code, 0, manifests.stderr)
  t.equal(manifests.stdout, (await rightslice(source, 'manifests')).stdout)
})

const usage = [
  { args: ['--help'], code: 0, stdout: /Usage: rightslice/ },
  { args: ['--version'], code: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
  { args: ['nonsense'], code: 2, stderr: /unknown command 'nonsense'/ },
  { args: ['demo', '--port', '70000'], code: 2, stderr: /'70000' is invalid\. It must be a whole number/ },
  { args: ['explain', '-f', '/no/such/file'], code: 2, stderr: /error: \/no\/such\/file cannot be read/ },
  { args: ['audit'], code: 2, stderr: /required option '--violations' not specified/ },
  {
    args: ['audit', '--violations', '-A', '-n', 'a'],
    code: 2,
    stderr: /--namespace and --all-namespaces exclude each other/
  },
  {
    args: ['manifests', '--set', 'namespace=x'],
    code: 2,
    stderr: /--set: "Unrecognized key: \?namespace\?"/
  },
  { args: ['uninstall'], code: 2, stderr: /required option '--plan' not specified/ },
  { args: ['chart'], code: 2, stderr: /required option '--out <directory>' not specified/ },
  { args: ['convert', '-f', '/no/such/file'], code: 2, stderr: /cannot be read/ },
  { args: ['check', '--wait', 'soon'], code: 2, stderr: /--wait soon: write a duration such as 2m/ },
  { args: ['check', '--kubeconfig', '/no/such/file'], code: 2, stderr: /kubeconfig/ },
  { args: ['webhook', '--config', '/no/such/file'], code: 2, stderr: /configuration: \/no\/such\/file/ }
]

for (const { args, code, stdout, stderr } of usage) {
  t.test(`rightslice ${args.join(' ')} exits ${code}`, async (t) => {
    const ended = await rightslice(source, ...args)
    t.equal(ended.code, code, ended.stderr)
    if (stdout !== undefined) t.match(ended.stdout, stdout)
    if (stderr !== undefined) t.match(ended.stderr, stderr)
  })
}
