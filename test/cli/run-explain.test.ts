import t from 'tap'
import { readDocuments } from '../../src/cli/read-documents.ts'
import { runExplain } from '../../src/cli/run-explain.ts'
import { AppError } from '../../src/core/errors.ts'
import { dc1 } from '../../src/demo/dc1.ts'
import { dc1Pods } from '../../src/demo/dc1-pods.ts'
import { sceneOf } from '../../src/gather/explain/scene.ts'

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

type OpenCluster = Parameters<typeof runExplain>[1]['openCluster']

async function explain(
  request: Partial<Parameters<typeof runExplain>[0]>,
  files: Readonly<Record<string, string>> = {},
  openCluster: OpenCluster = async () => undefined
) {
  const told = { out: '', err: '' }
  await runExplain(
    { namespace: 'default', output: 'text', ...request },
    {
      readText: async (path) => files[path] ?? '',
      readPage: async (path) => `# ${path}\n`,
      openCluster,
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

    t.match(
      out,
      /^Deployment search\/reranker · a new pod gets mig-1g\.5gb instead of a whole GPU: FitsMigProfile\n/
    )
    t.match(out, /peak memory +3686Mi of 40Gi, in 14d of history/)
    t.match(out, /mig-1g\.5gb +mig-mixed +4\.75Gi usable +fits, 440Mi to spare +<- chosen/)
    t.match(out, /policy +dc1-sharing governs/)
    t.match(err, /bundled cluster dc1/)
  }
)

t.test('isolation rules that the pod breaks are told, as text and as JSON', async (t) => {
  const bad = DEPLOYMENT.replace('{name: server,', '{name: server, securityContext: {privileged: true},')
  const files = { 'web.yaml': bad }

  const text = await explain({ file: 'web.yaml' }, files)
  const json = await explain({ file: 'web.yaml', output: 'json' }, files)

  t.match(text.out, /a new pod is refused: BreaksIsolation/)
  t.match(text.out, /refused: \[PrivilegedWithGpu\] container "server"/)
  t.match(text.out, /explain --reason PrivilegedWithGpu\n$/)
  t.match(JSON.parse(json.out).items, [
    { isolation: { judged: true, refused: [{ rule: 'PrivilegedWithGpu' }], warned: [] } }
  ])
})

t.test('JSON holds decision, evidence and patch, one entry for each object', async (t) => {
  const { out } = await explain(
    { file: 'two.yaml', output: 'json' },
    { 'two.yaml': `${DEPLOYMENT}---\n${DEPLOYMENT}` }
  )

  const list = JSON.parse(out)
  const [first, second] = list.items
  t.match(list, {
    apiVersion: 'cli.rightslice.dev/v1alpha1',
    kind: 'ExplanationList',
    generatedAt: '1970-01-01T00:00:00.000Z',
    cluster: 'the bundled cluster dc1'
  })
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

  t.match(JSON.parse(out).items, [{ reason: 'FitsMigProfile' }])
  t.equal(JSON.parse(out).items.length, 1)
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

  t.match(out, /keeps its whole GPU: NoPolicyMatches/)
})

const PINNED = 'annotations: {rightslice.dev/pin: whole-gpu}'

/** The bundled cluster as one that is there, with a Deployment whose template was changed after its pod came. */
const aCluster: OpenCluster = async () => {
  const raw = Object(dc1Pods[0]?.object)
  const metadata = { ...raw.metadata, name: 'reranker-1', uid: 'uid-1' }
  const spec = { ...raw.spec, nodeName: 'gpu-h200-01' }
  const living = { ...raw, metadata, spec, status: { phase: 'Running' } }
  const plain = { metadata: { name: 'plain', namespace: 'search', uid: 'uid-2' }, spec: { containers: [] } }
  const [template] = readDocuments(DEPLOYMENT.replace('labels: {app: reranker}', PINNED), 'template')
  const objects = new Map<string, unknown>([
    ['deployment search/reranker', template],
    ['pod search/plain', { kind: 'Pod', ...plain }]
  ])
  return {
    scene: sceneOf({ ...dc1, pods: [living] }, [living]),
    name: 'https://cluster.example',
    reader: { read: async (type, namespace, name) => objects.get(`${type} ${namespace}/${name}`) }
  }
}

t.test('a workload of a cluster is explained by its template, beside the pods that live', async (t) => {
  const { out, err } = await explain({ subject: 'deploy/reranker', namespace: 'search' }, {}, aCluster)

  t.match(out, /^Deployment search\/reranker · a new pod keeps its whole GPU: Pinned\n/)
  t.match(out, /pods now +1 has nvidia\.com\/gpu: 1 \(never decided\): reranker-1/)
  t.equal(err, '')
})

t.test('a pod of a cluster is looked at whole, so its isolation is judged', async (t) => {
  const { out } = await explain({ subject: 'reranker-1', namespace: 'search' }, {}, aCluster)

  t.match(out, /^Pod search\/reranker-1 · .*gets mig-1g\.5gb instead of a whole GPU: FitsMigProfile\n/)
  t.match(out, /no isolation rule is broken/)
})

t.test('a pod without a GPU is read from the cluster, and told to be none of our business', async (t) => {
  const { out } = await explain({ subject: 'pod/plain', namespace: 'search' }, {}, aCluster)

  t.match(out, /^Pod search\/plain · .*is left as it is: NoGpuRequest\n/)
})

t.test('whole pods are asked for in the namespace of the subject alone', async (t) => {
  const asked: boolean[] = []
  const open: OpenCluster = (whole) => {
    asked.push(whole('search'), whole('train'))
    return aCluster(whole)
  }

  await explain({ subject: 'ns/search' }, {}, open)
  await explain({ all: true, namespace: 'search' }, {}, open)
  await explain({ file: 'a' }, { a: DEPLOYMENT }, open)

  t.strictSame(asked, [true, false, true, false, false, false])
})

t.test('--all and ns/NAME give one line for each workload, and how to see one', async (t) => {
  const all = await explain({ all: true, namespace: 'search', demo: true })
  const named = await explain({ subject: 'ns/search', demo: true })
  const none = await explain({ subject: 'ns/empty', demo: true })

  t.equal(all.out, named.out)
  t.match(all.out, /^WORKLOAD +PODS +HAVE +A NEW POD +REASON\n/)
  t.match(all.out, /\ndeployment\/translate +1 +nvidia\.com\/gpu: 1 +keeps its whole GPU +TooLittleHistory\n/)
  t.match(all.out, /\nSee one whole: rightslice explain cronjob\/nightly-eval -n search\n$/)
  t.equal(none.out, 'No living pod of namespace empty asks for GPUs.\n')
})

t.test('a stored pod of a file is looked at as it was made', async (t) => {
  const limits = { 'nvidia.com/gpu': '1' }
  const annotations = { 'rightslice.dev/decision': 'StaleCache' }
  const stored = {
    kind: 'Pod',
    metadata: { name: 'web-0', namespace: 'search', uid: 'uid-1', annotations },
    spec: { nodeName: 'gpu-h200-01', containers: [{ name: 'main', resources: { limits } }] }
  }

  const { out } = await explain({ file: 'p' }, { p: JSON.stringify(stored) })

  t.match(out, /^Pod search\/web-0 · kept what it asked for: StaleCache\n/)
  t.match(out, /made anew +it would keep its whole GPU: NoHistory\n/)
})

t.test(
  'a workload of another kind is found by its living pods, one answer for each part of it',
  async (t) => {
    const containers = [{ name: 'main', resources: { limits: { 'nvidia.com/gpu': '1' } } }]
    const pod = (name: string, group: string): unknown => ({
      metadata: { name, namespace: 'train', labels: { 'ray.io/cluster': 'rc', 'ray.io/group': group } },
      spec: { containers }
    })
    const snapshot = { ...dc1, pods: [pod('a', 'small'), pod('b', 'large'), pod('c', 'small')] }

    const { out } = await explain(
      { subject: 'rayclusters/rc', namespace: 'train', snapshot: 's', output: 'json' },
      { s: JSON.stringify(snapshot) }
    )

    const list = JSON.parse(out)
    t.equal(list.cluster, 'snapshot s')
    t.match(list.items, [
      { subject: { namespace: 'train', name: 'rc' }, workload: 'RayCluster/rc/large', pods: [{ pods: 1 }] },
      { workload: 'RayCluster/rc/small', pods: [{ pods: 2, has: 'nvidia.com/gpu: 1' }] }
    ])
  }
)

const refused = [
  {
    name: 'a workload that is not there',
    request: { subject: 'deploy/nothing', namespace: 'search', demo: true },
    files: {},
    code: 'USAGE_WRONG',
    message:
      /^the bundled cluster dc1 has no living pod with GPUs of deployment\/nothing in namespace search; /
  },
  {
    name: 'a subject without any cluster',
    request: { subject: 'deploy/reranker' },
    files: {},
    code: 'USAGE_WRONG',
    message: /no kubeconfig was found: --kubeconfig FILE names one, --snapshot FILE/
  },
  {
    name: 'two things at once',
    request: { subject: 'deploy/reranker', file: 'x' },
    files: {},
    code: 'USAGE_WRONG',
    message: /exclude each other/
  },
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
    message: /give KIND\/NAME such as deploy\/web, -f FILE, --all, or --reason CODE/
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
