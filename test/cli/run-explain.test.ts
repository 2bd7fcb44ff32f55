import t from 'tap'
import { runExplain } from '../../src/cli/run-explain.ts'
import { AppError } from '../../src/core/errors.ts'
import { dc1 } from '../../src/demo/dc1.ts'

const settings = { systemNamespaces: ['kube-system'], schedulers: ['default-scheduler'] }

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: reranker, namespace: search}
spec:
  template:
    metadata: {labels: {app: reranker}}
    spec:
      containers:
        - {name: server, image: registry.example/reranker:1, resources: {limits: {nvidia.com/gpu: 1}}}
`

async function explain(
  request: Partial<Parameters<typeof runExplain>[0]>,
  files: Readonly<Record<string, string>> = {}
) {
  const told = { out: '', err: '' }
  await runExplain(
    { namespace: 'default', output: 'text', ...request },
    {
      readText: async (path) => files[path] ?? '',
      readPage: async (path) => `# ${path}\n`,
      stdout: { write: (text) => (told.out += text) },
      stderr: { write: (text) => (told.err += text) },
      settings,
      nowMs: 0
    }
  )
  return told
}

t.test('a reason code in any case prints its page', async (t) => {
  t.strictSame(await explain({ reason: 'nohistory' }), { out: '# reasons/NoHistory.md\n', err: '' })
})

t.test('the code of an isolation rule prints its page', async (t) => {
  t.strictSame(await explain({ reason: 'nodenameset' }), { out: '# rules/NodeNameSet.md\n', err: '' })
})

t.test(
  'a Deployment is explained against the bundled cluster: numbers, candidates, the chosen one',
  async (t) => {
    const { out, err } = await explain({ file: 'web.yaml' }, { 'web.yaml': DEPLOYMENT })

    t.match(out, /^Deployment search\/reranker · rewritten: FitsMigProfile\n/)
    t.match(out, /peak memory +3686Mi +\(14d of history\)/)
    t.match(out, /mig-1g\.5gb +4\.75Gi usable +fits, 440Mi spare +<- chosen/)
    t.match(out, /policy +dc1-sharing/)
    t.match(err, /bundled cluster dc1/)
  }
)

t.test('isolation rules that the pod breaks are told, as text and as JSON', async (t) => {
  const bad = DEPLOYMENT.replace('{name: server,', '{name: server, securityContext: {privileged: true},')
  const files = { 'web.yaml': bad }

  const text = await explain({ file: 'web.yaml' }, files)
  const json = await explain({ file: 'web.yaml', output: 'json' }, files)

  t.match(text.out, /not changed: BreaksIsolation/)
  t.match(text.out, / refused +\[PrivilegedWithGpu\] container "server"/)
  t.match(JSON.parse(json.out), [{ isolation: { refused: [/^\[PrivilegedWithGpu\]/], warned: [] } }])
})

t.test('JSON holds decision, evidence and patch, one entry for each object', async (t) => {
  const { out } = await explain(
    { file: 'two.yaml', output: 'json' },
    { 'two.yaml': `${DEPLOYMENT}---\n${DEPLOYMENT}` }
  )

  const [first, second] = JSON.parse(out)
  t.match(first, {
    kind: 'Explanation',
    decision: 'rewrite',
    reason: 'FitsMigProfile',
    changes: [{ container: 'server', resource: 'nvidia.com/mig-1g.5gb' }]
  })
  t.strictSame(first, second)
})

t.test('objects that make no pods are skipped and named, whatever is beside them', async (t) => {
  const file = [
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n',
    DEPLOYMENT,
    'apiVersion: v1\nkind: Service\nmetadata: {name: reranker}\n',
    'just: text\n'
  ].join('---\n')

  const { out, err } = await explain({ file: 'web.yaml', output: 'json' }, { 'web.yaml': file })

  t.match(JSON.parse(out), [{ reason: 'FitsMigProfile' }])
  t.equal(JSON.parse(out).length, 1)
  t.strictSame(err.split('\n').slice(1), [
    'web.yaml: ConfigMap/settings makes no pods and is skipped',
    'web.yaml: Service/reranker makes no pods and is skipped',
    'web.yaml: (no kind)/(no name) makes no pods and is skipped',
    ''
  ])
})

t.test('a snapshot file takes the place of the bundled cluster', async (t) => {
  const empty = JSON.stringify({ ...dc1, nodes: [], workloads: [] })

  const { out } = await explain({ file: 'a', snapshot: 's' }, { a: DEPLOYMENT, s: empty })

  t.match(out, /not changed: NoPolicyMatches/)
})

const refused = [
  {
    name: 'an unknown reason',
    request: { reason: 'Nope' },
    files: {},
    code: 'USAGE_WRONG',
    message: /no reason "Nope"; known are FitsMigProfile/
  },
  {
    name: 'neither file nor reason',
    request: {},
    files: {},
    code: 'USAGE_WRONG',
    message: /give -f FILE or --reason CODE/
  },
  {
    name: 'no YAML',
    request: { file: 'x.yaml' },
    files: { 'x.yaml': 'a: [1' },
    code: 'FILE_INVALID',
    message: /x\.yaml:1:\d+: /
  },
  {
    name: 'a file of other kinds alone',
    request: { file: 'x' },
    files: { x: 'kind: Secret\n---\nkind: Service' },
    code: 'FILE_INVALID',
    message: /no object is any of Pod, Deployment/
  },
  {
    name: 'a workload without a template, beside a good one,',
    request: { file: 'x' },
    files: { x: `${DEPLOYMENT}---\nkind: Job\nmetadata: {name: train}` },
    code: 'FILE_INVALID',
    message: /^x: Job\/train has no pod template$/
  },
  {
    name: 'an empty file',
    request: { file: 'x' },
    files: { x: '' },
    code: 'FILE_INVALID',
    message: /no object is any of Pod, Deployment/
  },
  {
    name: 'no snapshot',
    request: { file: 'x', snapshot: 's' },
    files: { x: DEPLOYMENT, s: '{}' },
    code: 'FILE_INVALID',
    message: /not a snapshot/
  },
  {
    name: 'a snapshot with a node that cannot be read',
    request: { file: 'x', snapshot: 's' },
    files: { x: DEPLOYMENT, s: JSON.stringify({ ...dc1, nodes: [{}] }) },
    code: 'FILE_INVALID',
    message: /nodes\[0\] \(without a name\)/
  }
] as const

for (const { name, request, files, code, message } of refused) {
  t.test(`${name} is refused`, async (t) => {
    const fault = await explain(request, files).catch((error: unknown) => error)
    t.ok(fault instanceof AppError)
    t.match(fault, { code, message })
  })
}
