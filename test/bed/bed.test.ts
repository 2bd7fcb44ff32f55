import { existsSync } from 'node:fs'
import t from 'tap'
import { bedTest, type OnBed } from './bed-test.ts'
import { findBinaries } from './binaries.ts'
import { createNamespace } from './namespace.ts'
import type { GpuNodeSpec } from './nodes.ts'
import { startBed } from './start-bed.ts'
import { until } from './until.ts'
import { exposeWebhook } from './webhook-service.ts'

const NODES: readonly GpuNodeSpec[] = [
  { name: 'whole', product: 'H200-141', layout: { kind: 'whole', gpus: 8 } },
  { name: 'mixed', product: 'H100-80', layout: { kind: 'mig-mixed', gpus: 1, profiles: { '1g.10gb': 7 } } },
  { name: 'single', product: 'A30', layout: { kind: 'mig-single', gpus: 1, profile: '2g.12gb' } },
  { name: 'sliced', product: 'L4', layout: { kind: 'time-sliced', gpus: 2, replicas: 4, renamed: true } },
  { name: 'mps', product: 'A10', layout: { kind: 'mps', gpus: 1, replicas: 4, renamed: false } }
]

/** A pod template asking one piece of `resource`. */
function template(resource: string, restartPolicy = 'Always', nodeSelector = {}) {
  const resources = { limits: { [resource]: '1' } }
  const spec = { restartPolicy, nodeSelector, containers: [{ name: 'main', image: 'bed/none', resources }] }
  return { metadata: { labels: { app: 'x' } }, spec }
}

function pod(name: string, resource: string, nodeSelector = {}) {
  return { apiVersion: 'v1', kind: 'Pod', ...template(resource, 'Always', nodeSelector), metadata: { name } }
}

async function apply({ bed }: OnBed, ...objects: readonly object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
  const { code, stderr } = await bed.kubectl(['apply', '-n', 'ml', '-f', '-'], { input })
  if (code !== 0) throw new Error(stderr)
}

/** What kubectl prints of an object in namespace ml for a JSONPath, or undefined when there is none. */
async function read({ bed }: OnBed, target: string, jsonPath: string): Promise<string | undefined> {
  const { code, stdout } = await bed.kubectl(['get', '-n', 'ml', target, '-o', `jsonpath=${jsonPath}`])
  return code === 0 ? stdout : undefined
}

function becomes(on: OnBed, target: string, jsonPath: string, want: string): Promise<unknown> {
  return until(`${target} ${jsonPath} = ${want}`, async () => (await read(on, target, jsonPath)) === want)
}

let pids: readonly number[] = []
let directory = ''

await bedTest(t, 'a bed with one node of each layout', async (t, on) => {
  const { bed, simulator } = on
  pids = bed.pids
  directory = bed.directory
  for (const node of NODES) await simulator.addNode(node)
  await createNamespace(bed, 'ml', { tenantRole: 'edit' })

  const shares = [
    { resource: 'nvidia.com/mig-1g.10gb', node: 'mixed' },
    { resource: 'nvidia.com/gpu.shared', node: 'sliced' },
    { resource: 'nvidia.com/gpu', node: 'single', product: 'NVIDIA-A30-MIG-2g.12gb' },
    { resource: 'nvidia.com/gpu', node: 'mps', product: 'NVIDIA-A10-SHARED' },
    { resource: 'nvidia.com/gpu', node: 'whole', product: 'NVIDIA-H200' }
  ]
  for (const { resource, node, product } of shares) {
    await t.test(`a pod asking ${resource} is bound to the ${node} node and runs`, async () => {
      await apply(on, pod(node, resource, product && { 'nvidia.com/gpu.product': product }))

      await becomes(on, `pod/${node}`, '{.spec.nodeName} {.status.phase}', `${node} Running`)
    })
  }

  await t.test('a Deployment becomes available', async () => {
    const selector = { matchLabels: { app: 'x' } }
    const spec = { replicas: 3, selector, template: template('nvidia.com/mig-1g.10gb') }
    await apply(on, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec })

    await becomes(on, 'deployment/web', '{.status.availableReplicas}', '3')
  })

  await t.test('a deleted pod goes away and its Deployment makes another', async () => {
    const { stdout } = await bed.kubectl(['delete', 'pod', '-n', 'ml', '-l', 'app=x', '--timeout=20s'])

    t.equal(stdout.match(/deleted/g)?.length, 3)
    await becomes(on, 'deployment/web', '{.status.availableReplicas}', '3')
  })

  await t.test('a Job completes', async () => {
    const spec = { template: template('nvidia.com/gpu.shared', 'Never') }
    await apply(on, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'job' }, spec })

    await becomes(on, 'job/job', '{.status.succeeded}', '1')
  })

  await t.test('a pod ends as a test tells it', async () => {
    await apply(on, pod('dies', 'nvidia.com/gpu'))
    await becomes(on, 'pod/dies', '{.status.phase}', 'Running')

    await simulator.finishPod('ml', 'dies', { exitCode: 137, reason: 'OOMKilled' })

    const path = '{.status.phase} {.status.containerStatuses[0].state.terminated.reason}'
    t.equal(await read(on, 'pod/dies', path), 'Failed OOMKilled')
  })

  await t.test(
    'a new layout changes labels and allocatable, and the old resource stays listed with 0',
    async (t) => {
      await simulator.setLayout('whole', { kind: 'mig-mixed', gpus: 8, profiles: { '3g.71gb': 16 } })

      const answer = await bed.request('GET', '/api/v1/nodes/whole')
      t.match(answer.body, {
        metadata: { labels: { 'nvidia.com/mig.strategy': 'mixed', 'nvidia.com/mig-3g.71gb.count': '16' } },
        status: { allocatable: { 'nvidia.com/gpu': '0', 'nvidia.com/mig-3g.71gb': '16', cpu: '96' } }
      })
    }
  )

  await t.test('each role has its own rights', async (t) => {
    const can = async (role: 'admin' | 'webhook' | 'controller' | 'tenant', ...what: readonly string[]) =>
      (await bed.kubectl(['auth', 'can-i', ...what], { kubeconfig: bed.kubeconfig(role) })).stdout.trim()

    t.equal(await can('admin', 'delete', 'nodes'), 'yes')
    t.equal(await can('webhook', 'list', 'nodes'), 'no')
    t.equal(await can('controller', 'list', 'nodes'), 'no')
    t.equal(await can('tenant', 'create', 'pods', '-n', 'ml'), 'yes')
    t.equal(await can('tenant', 'create', 'pods', '-n', 'default'), 'no')
  })

  await t.test('a webhook configuration changes in port and caBundle alone', async (t) => {
    const service = { name: 'rightslice', namespace: 'rightslice-system', path: '/rewrite' }
    const shipped = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'rightslice' },
      webhooks: [{ name: 'rewrite.rightslice.dev', clientConfig: { service }, sideEffects: 'None' }]
    }
    const webhook = await exposeWebhook(bed, { port: 9443 })

    const changed = webhook.adapt(shipped, 'PEM')

    const clientConfig = { caBundle: 'UEVN', service: { ...service, port: 9443 } }
    t.strictSame(changed, { ...shipped, webhooks: [{ ...shipped.webhooks[0], clientConfig }] })
    t.equal(webhook.serverName, 'rightslice.rightslice-system.svc')
    t.throws(() => webhook.adapt({ ...shipped, kind: 'Service' }, 'PEM'))
  })
})

await t.test('a stopped bed leaves no process and no folder behind', async (t) => {
  if (pids.length === 0) return void t.pass('there was no bed', { skip: true })

  t.equal(pids.length, 4)
  t.strictSame(pids.filter(isAlive), [])
  t.notOk(existsSync(directory))
})

await bedTest(
  t,
  'an API server that is started anew is another process, and knows what was written',
  async (t, { bed }) => {
    await createNamespace(bed, 'kept')
    const [etcd, before] = bed.pids

    await bed.restartApiServer()

    t.equal((await bed.request('GET', '/api/v1/namespaces/kept')).status, 200)
    const [sameEtcd, after] = bed.pids
    t.equal(sameEtcd, etcd)
    t.not(after, before)
  },
  { startScheduler: false, startControllerManager: false, losesApiServer: true }
)

await t.test('a component that ends early is named, with the end of its log', async (t) => {
  const binaries = await findBinaries()
  if (binaries.kind === 'missing') return void t.pass(binaries.how, { skip: true })

  await t.rejects(
    startBed({ binaries: binaries.paths, apiServerArgs: ['--no-such-flag'] }),
    /kube-apiserver ended with code 1; the end of its log:[^]*unknown flag: --no-such-flag/
  )
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
