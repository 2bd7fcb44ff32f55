import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { aWholeNode } from './build/node.ts'
import { aRawPolicy } from './build/policy.ts'
import { aLivePod } from './controllers/rig.ts'
import { startFakeApiServer } from './fakes/fake-api-server.ts'
import { startFakePrometheus } from './fakes/fake-prometheus.ts'

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
const DAY_MS = 86_400_000

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function candidates(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, 'candidates', ...args], (_fault, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr })
    })
  })
}

const workload = {
  apiVersion: 'rightslice.dev/v1alpha1',
  kind: 'GpuWorkload',
  metadata: { name: 'deployment-app', namespace: 'team-a' },
  spec: { workloadRef: { kind: 'Deployment', name: 'app' } },
  status: { containers: [{ name: 'main', peakMemory: '5200Mi', history: { coverage: '14d' } }] }
}

const second = aLivePod({ name: 'app-6c9d7f8b5d-zzzzz' })

/** A cluster of one node, on which two pods of one workload hold a GPU each. */
const snapshot = {
  apiVersion: 'cli.rightslice.dev/v1alpha1',
  kind: 'Snapshot',
  nodes: [aWholeNode()],
  namespaces: [{ metadata: { name: 'team-a' } }],
  policies: [aRawPolicy()],
  workloads: [workload],
  owners: [],
  pods: [aLivePod(), second]
}

function fileOf(t: Test, content: unknown): string {
  return join(t.testdir({ 'snapshot.json': JSON.stringify(content) }), 'snapshot.json')
}

t.test(
  'a file with GpuWorkloads needs no cluster; --fail-on turns what is found into exit code 4',
  async (t) => {
    const file = fileOf(t, snapshot)

    const plain = await candidates('--offline', file, '--price', 'NVIDIA-H100-80GB-HBM3=2')
    const failing = await candidates('--offline', file, '--fail-on', 'candidates', '-o', 'markdown')
    const nothing = await candidates(
      '--offline',
      fileOf(t, { ...snapshot, pods: [] }),
      '--fail-on',
      'candidates'
    )

    t.equal(plain.code, 0, plain.stderr)
    t.match(plain.stdout, /node-1 +team-a +Deployment\/app +2 +2 GPU +5\.1Gi .* mig-1g\.10gb +1 +1,460\n/)
    t.match(plain.stderr, /peaks from GpuWorkloads/)
    t.equal(failing.code, 4)
    t.match(failing.stdout, /^\| NODE \|/)
    t.equal(nothing.code, 0)
  }
)

t.test('an exemption in a file keeps the GPU of its workload, as it does in the cluster', async (t) => {
  const exemption = {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuExemption',
    metadata: { name: 'load-test', namespace: 'team-a', creationTimestamp: new Date().toISOString() },
    spec: {
      rules: ['Rewrite'],
      workloadRef: { kind: 'Deployment', name: 'app' },
      expires: new Date(Date.now() + DAY_MS).toISOString(),
      reason: 'a load test'
    }
  }

  const { code, stdout, stderr } = await candidates(
    '--offline',
    fileOf(t, { ...snapshot, exemptions: [exemption] })
  )

  t.equal(code, 0, stderr)
  t.match(stdout, /Deployment\/app .* - Exempt\n/)
})

t.test('--prometheus reads peaks anew, also for a file; what is partly answered is told', async (t) => {
  const prometheus = await startFakePrometheus()
  t.teardown(() => prometheus.close())
  const nowMs = Date.now()
  const labels = {
    gpu: '0',
    UUID: 'GPU-1',
    modelName: 'NVIDIA H100 80GB HBM3',
    Hostname: 'node-1',
    namespace: 'team-a',
    pod: 'app-6c9d7f8b5d-x2k4p',
    container: 'main'
  }
  const samples = Array.from(
    { length: 14 * 48 },
    (_, index) => [nowMs - index * (DAY_MS / 48), 3000] as const
  )
  prometheus.series = [{ name: 'DCGM_FI_DEV_FB_USED', labels, samples }]
  const asked = ['--offline', fileOf(t, snapshot), '--prometheus', prometheus.url, '-o', 'json']

  const whole = await candidates(...asked)
  prometheus.warnings = ['a store did not answer']
  const partial = await candidates(...asked)

  t.equal(whole.code, 0, whole.stderr)
  t.match(JSON.parse(whole.stdout), {
    window: { source: prometheus.url },
    items: [{ pods: 2, peakMemoryBytes: 3000 * 2 ** 20, neededBytes: 3600 * 2 ** 20 }]
  })
  t.equal(partial.code, 0, partial.stderr)
  t.match(
    partial.stderr,
    /warning: GPU metrics were read in part, so nothing new is trusted: .*a store did not/
  )
  t.match(JSON.parse(partial.stdout), { items: [{ peakMemoryBytes: 5200 * 2 ** 20 }] })
})

t.test(
  'a cluster without GpuWorkloads and without a metrics server is told, and nothing is written',
  async (t) => {
    const api = await startFakeApiServer()
    t.teardown(() => api.close())
    api.collection('/api/v1/nodes', 'v1', 'Node')
    api.collection('/api/v1/namespaces', 'v1', 'Namespace')
    api.collection('/apis/apps/v1/replicasets', 'apps/v1', 'ReplicaSet')
    api.collection('/apis/batch/v1/jobs', 'batch/v1', 'Job')
    api.collection('/api/v1/pods', 'v1', 'Pod')
    api.collection('/api/v1/services', 'v1', 'Service')
    const kubeconfig = join(t.testdir({ kubeconfig: api.kubeconfig() }), 'kubeconfig')

    const { code, stderr, stdout } = await candidates('--kubeconfig', kubeconfig)

    t.equal(code, 3, stderr)
    t.match(
      stderr,
      /GPU metrics cannot be read: no server with GPU metrics was found.*--prometheus names a server/
    )
    t.equal(stdout, '')
    t.ok(api.seen.every(({ method }) => method === 'GET'))
  }
)

const refused = [
  {
    args: ['--kubeconfig', '/no/such/file'],
    code: 2,
    says: /cannot be read.*; --offline FILE reads a file of/
  },
  { args: ['--price', 'free'], code: 2, says: /write MODEL=USD/ },
  { args: ['--offline', '/no/such/file'], code: 2, says: /cannot be read/ },
  { args: ['-o', 'html'], code: 2, says: /Allowed choices are table, json, markdown/ },
  { args: ['--fail-on', 'rejected'], code: 2, says: /Allowed choices are candidates/ },
  { args: ['--context', 'none', '--kubeconfig', '/no/such/file'], code: 2, says: /cannot be read/ }
]

for (const { args, code, says } of refused) {
  t.test(`candidates ${args.join(' ')} exits ${code}`, async (t) => {
    const ended = await candidates(...args)

    t.equal(ended.code, code, ended.stderr)
    t.match(ended.stderr, says)
  })
}

t.test('a file that is no snapshot is refused', async (t) => {
  const { code, stderr } = await candidates('--offline', fileOf(t, { kind: 'Pod' }))

  t.equal(code, 2)
  t.match(stderr, /not a snapshot/)
})
