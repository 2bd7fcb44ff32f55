import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { fieldAt, fieldOf, listOf, stringMapOf, stringOf } from '../../../src/core/json.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { GpuNodeSpec } from '../../bed/nodes.ts'
import { barePod, policy, workload } from '../objects.ts'
import { create, startProduct, untilBound, untilHeard, writeHistory } from '../product.ts'

const PRODUCT = 'nvidia.com/gpu.product'
const ACCELERATOR = 'cloud.google.com/gke-accelerator'
const PARTITION = 'cloud.google.com/gke-gpu-partition-size'
const STRATEGY = 'cloud.google.com/gke-gpu-sharing-strategy'
const CLIENTS = 'cloud.google.com/gke-max-shared-clients-per-gpu'
const GPU = 'nvidia.com/gpu'

/** Each kind of node once, and beside them whole GPUs, which have the same resource as most shares. */
const nodes: readonly GpuNodeSpec[] = [
  { name: 'mixed', product: 'H100-80', layout: { kind: 'mig-mixed', gpus: 1, profiles: { '1g.20gb': 4 } } },
  { name: 'single', product: 'H100-80', layout: { kind: 'mig-single', gpus: 1, profile: '1g.10gb' } },
  { name: 'sliced', product: 'A10', layout: { kind: 'time-sliced', gpus: 1, replicas: 2, renamed: false } },
  {
    name: 'partitioned',
    product: 'A100-40',
    layout: { kind: 'gke', gpus: 1, partitionSize: '1g.5gb' },
    taints: [{ key: PARTITION, value: '1g.5gb', effect: 'NoSchedule' }]
  },
  {
    name: 'clients',
    product: 'L4',
    layout: { kind: 'gke', gpus: 1, sharing: { strategy: 'time-sharing', clients: 4 } }
  },
  { name: 'whole', product: 'H100-80', layout: { kind: 'whole', gpus: 8 } }
]

/** A Deployment, what it needs, and where its pod has to end. */
interface Row {
  readonly name: string
  readonly namespace: 'team-a' | 'team-s'
  readonly peakMemory: string
  /** Selected by its user, to leave only some kinds of nodes. */
  readonly selects?: Readonly<Record<string, string>>
  readonly node: string
  readonly resource: string
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly says: RegExp
}

const rows: readonly Row[] = [
  {
    name: 'by-partition-size',
    namespace: 'team-a',
    peakMemory: '3000Mi',
    node: 'partitioned',
    resource: GPU,
    nodeSelector: { [ACCELERATOR]: 'nvidia-tesla-a100', [PARTITION]: '1g.5gb' },
    says: /nvidia\.com\/gpu \(mig-1g\.5gb\) 1 on nodes with/
  },
  {
    name: 'by-product',
    namespace: 'team-a',
    peakMemory: '7000Mi',
    node: 'single',
    resource: GPU,
    nodeSelector: { [PRODUCT]: 'NVIDIA-H100-80GB-HBM3-MIG-1g.10gb' },
    says: /nvidia\.com\/gpu \(mig-1g\.10gb\) 1 on nodes with/
  },
  {
    name: 'by-resource',
    namespace: 'team-a',
    peakMemory: '15000Mi',
    node: 'mixed',
    resource: 'nvidia.com/mig-1g.20gb',
    nodeSelector: {},
    says: /nvidia\.com\/mig-1g\.20gb 1/
  },
  {
    name: 'by-strategy',
    namespace: 'team-s',
    peakMemory: '8000Mi',
    selects: { [PRODUCT]: 'NVIDIA-A10-SHARED' },
    node: 'sliced',
    resource: GPU,
    nodeSelector: { [PRODUCT]: 'NVIDIA-A10-SHARED', 'nvidia.com/gpu.sharing-strategy': 'time-slicing' },
    says: /no memory limit/
  },
  {
    name: 'by-clients',
    namespace: 'team-s',
    peakMemory: '4000Mi',
    selects: { [ACCELERATOR]: 'nvidia-l4' },
    node: 'clients',
    resource: GPU,
    nodeSelector: { [ACCELERATOR]: 'nvidia-l4', [STRATEGY]: 'time-sharing', [CLIENTS]: '4' },
    says: /no memory limit/
  }
]

await bedTest(
  t,
  'Deployments get their shares on nodes of every kind, and the real scheduler binds them there',
  async (t, on) => {
    await prepare(t, on)

    for (const { name, namespace, selects = {} } of rows)
      await create(on.bed, workload('Deployment', name, { nodeSelector: selects }), namespace)

    for (const row of rows) await t.test(`${row.name} ends on node ${row.node}`, (t) => checkRow(t, on, row))
    await t.test('explain tells of a pod that runs what it got, and that it would get it again', (t) =>
      checkExplained(t, on)
    )
    await on.simulator.stop()
  }
)

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<void> {
  for (const node of nodes) await simulator.addNode(node)
  const product = await startProduct(bed)
  t.teardown(() => product.stop())
  const enforce = { 'rightslice.dev/rightsize': 'enforce' }
  await createNamespace(bed, 'team-a', { labels: enforce })
  await createNamespace(bed, 'team-s', { labels: { ...enforce, 'rightslice.dev/isolation': 'shared-ok' } })
  await create(bed, policy('standard', { timeSlicing: { namespaces: ['team-s'], maxReplicas: 4 } }))
  for (const { name, namespace, peakMemory } of rows)
    await writeHistory(bed, { namespace, kind: 'Deployment', name, peakMemory })
  await writeHistory(bed, { namespace: 'team-a', kind: 'Pod', name: 'probe', peakMemory: '1000Mi' })
  await untilHeard(bed, { namespace: 'team-a', reason: 'FitsMigProfile', pod: barePod('probe') })
}

async function checkRow(t: Test, { bed }: OnBed, row: Row): Promise<void> {
  const pod = await untilBound(bed, row.namespace, row.name)
  const annotations = stringMapOf(fieldOf(pod, 'metadata'), 'annotations')
  const [container] = listOf(fieldOf(pod, 'spec'), 'containers')

  t.equal(fieldAt(pod, 'spec', 'nodeName'), row.node)
  t.strictSame(fieldOf(fieldOf(container, 'resources'), 'limits'), { [row.resource]: '1' })
  t.strictSame(fieldOf(fieldOf(container, 'resources'), 'requests'), { [row.resource]: '1' })
  t.strictSame({ ...stringMapOf(fieldOf(pod, 'spec'), 'nodeSelector') }, row.nodeSelector)
  t.match(annotations['rightslice.dev/explain'], row.says)
  t.match(
    annotations['rightslice.dev/decision'],
    row.namespace === 'team-a' ? 'FitsMigProfile' : 'FitsSharedReplica'
  )
}

/** Each pod, asked about by its name, and each Deployment, by its template: both give what the webhook gave. */
async function checkExplained(t: Test, { bed }: OnBed): Promise<void> {
  for (const row of rows) {
    const pod = await untilBound(bed, row.namespace, row.name)
    const { name } = row
    const living = await explain(
      bed,
      `pod/${stringOf(fieldOf(pod, 'metadata'), 'name') ?? ''}`,
      row.namespace
    )
    const workload = await explain(bed, `deploy/${name}`, row.namespace)
    const written = stringMapOf(fieldOf(pod, 'metadata'), 'annotations')['rightslice.dev/decision']

    t.match(living, { reason: written, written: { decision: written, sameAnswer: true } }, name)
    t.match(living, { isolation: { judged: true, refused: [] }, shares: [{ capacity: { bound: Number } }] })
    t.match(workload, { subject: { kind: 'Deployment', name }, pods: [{ reason: written, pods: 1 }] }, name)
  }
}

async function explain(bed: OnBed['bed'], subject: string, namespace: string): Promise<unknown> {
  const cli = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url))
  const args = [cli, 'explain', subject, '-n', namespace, '-o', 'json', '--kubeconfig', bed.adminKubeconfig]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return listOf(JSON.parse(printed), 'items')[0]
}
