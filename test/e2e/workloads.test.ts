import t, { type Test } from 'tap'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringMapOf } from '../../src/core/json.ts'
import { bedTest, type OnBed } from '../bed/bed-test.ts'
import { createNamespace } from '../bed/namespace.ts'
import type { GpuNodeSpec } from '../bed/nodes.ts'
import { until } from '../bed/until.ts'
import { barePod, cronJob, gpuOf, job, policy, workload } from './objects.ts'
import {
  create,
  findPods,
  type Product,
  startProduct,
  untilBound,
  untilHeard,
  writeHistory
} from './product.ts'

const nodes: readonly GpuNodeSpec[] = [
  {
    name: 'mig',
    product: 'A100-40',
    layout: { kind: 'mig-mixed', gpus: 2, profiles: { '1g.5gb': 8, '2g.10gb': 2 } }
  },
  { name: 'renamed', product: 'L4', layout: { kind: 'time-sliced', gpus: 1, replicas: 4, renamed: true } },
  {
    name: 'same-name',
    product: 'A10',
    layout: { kind: 'time-sliced', gpus: 1, replicas: 2, renamed: false },
    labels: { 'example.com/desk': 'render' }
  },
  { name: 'whole', product: 'H200-141', layout: { kind: 'whole', gpus: 8 } }
]

const enforce = { 'rightslice.dev/rightsize': 'enforce' }

/** One workload of the table: what is created, and what becomes of its pod. */
interface Row {
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly object: JsonRecord
  readonly peakMemory?: string
  readonly want: { readonly resource: string; readonly node: string | undefined; readonly reason: string }
}

const fits5 = { resource: 'nvidia.com/mig-1g.5gb', node: 'mig', reason: 'FitsMigProfile' }
const fits10 = { resource: 'nvidia.com/mig-2g.10gb', node: 'mig', reason: 'FitsMigProfile' }
const desk = { 'example.com/desk': 'render' }

const rows: readonly Row[] = [
  {
    kind: 'CronJob',
    name: 'nightly',
    namespace: 'team-a',
    object: cronJob('nightly'),
    peakMemory: '4000Mi',
    want: fits5
  },
  {
    kind: 'Deployment',
    name: 'web',
    namespace: 'team-a',
    object: workload('Deployment', 'web'),
    peakMemory: '3686Mi',
    want: fits5
  },
  {
    kind: 'StatefulSet',
    name: 'db',
    namespace: 'team-a',
    object: workload('StatefulSet', 'db'),
    peakMemory: '8000Mi',
    want: fits10
  },
  {
    kind: 'Job',
    name: 'train',
    namespace: 'team-a',
    object: job('train'),
    peakMemory: '3000Mi',
    want: fits5
  },
  {
    kind: 'Pod',
    name: 'bare',
    namespace: 'team-a',
    object: barePod('bare'),
    peakMemory: '1000Mi',
    want: fits5
  },
  {
    kind: 'Deployment',
    name: 'small',
    namespace: 'team-s',
    object: workload('Deployment', 'small', { nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-L4' } }),
    peakMemory: '4000Mi',
    want: { resource: 'nvidia.com/gpu.shared', node: 'renamed', reason: 'FitsSharedReplica' }
  },
  {
    kind: 'Deployment',
    name: 'desk',
    namespace: 'team-s',
    object: workload('Deployment', 'desk', { nodeSelector: desk }),
    peakMemory: '4000Mi',
    want: { resource: 'nvidia.com/gpu', node: 'same-name', reason: 'FitsSharedReplica' }
  },
  {
    kind: 'Deployment',
    name: 'new',
    namespace: 'team-a',
    object: workload('Deployment', 'new'),
    want: { resource: 'nvidia.com/gpu', node: undefined, reason: 'NoHistory' }
  },
  {
    kind: 'DaemonSet',
    name: 'agent',
    namespace: 'team-a',
    object: workload('DaemonSet', 'agent', { nodeSelector: { 'kubernetes.io/hostname': 'whole' } }),
    peakMemory: '1000Mi',
    want: { resource: 'nvidia.com/gpu', node: 'whole', reason: 'PinnedToNode' }
  }
]

await bedTest(
  t,
  'pods applied to a real API server get the smallest share that their peak fits',
  async (t, on) => {
    const { bed, simulator } = on
    const product = await prepare(t, on)

    for (const row of rows) await create(bed, row.object, row.namespace)

    for (const row of rows.filter(({ kind }) => kind !== 'CronJob')) {
      await t.test(`${row.kind} ${row.name} gets ${row.want.resource} (${row.want.reason})`, (t) =>
        checkRow(t, on, row)
      )
    }

    await t.test(
      'dryRun has no writes: kubectl apply of a bare pod prints our warnings, a dry run leaves nothing behind',
      async (t) => {
        const input = JSON.stringify(barePod('bare'))
        await bed.kubectl(['delete', 'pod', 'bare', '-n', 'team-a', '--timeout=20s'])

        const dry = await bed.kubectl(['apply', '--dry-run=server', '-n', 'team-a', '-f', '-'], { input })
        const afterDry = await findPods(bed, 'team-a', 'app=bare')
        const real = await bed.kubectl(['apply', '-n', 'team-a', '-f', '-'], { input })

        t.equal(dry.code, 0)
        t.match(
          dry.stderr,
          /Warning: rightslice: container "main" gets nvidia\.com\/mig-1g\.5gb instead of nvidia\.com\/gpu/
        )
        t.strictSame(afterDry, [])
        t.match(real.stderr, /Warning: rightslice: container "main" gets nvidia\.com\/mig-1g\.5gb/)
        t.match(real.stderr, /Warning: rightslice: why: rightslice explain --reason FitsMigProfile/)
        t.equal((await findPods(bed, 'team-a', 'app=bare')).length, 1)
      }
    )

    await t.test('the log has one line for each review, with its decision', async (t) => {
      const reviews = product.log.filter((line) => line['reason'] === 'PinnedToNode')
      t.match(reviews[0], { workload: 'DaemonSet/agent', decision: 'keep', reason: 'PinnedToNode' })
    })

    await t.test('a namespace that has not opted in and a system namespace are left alone', async (t) => {
      await createNamespace(bed, 'outside')
      for (const namespace of ['outside', 'kube-system']) {
        const { code, stderr } = await bed.kubectl(['create', '-n', namespace, '-f', '-'], {
          input: JSON.stringify(barePod('plain'))
        })
        t.equal(code, 0, stderr)
        const [pod] = await findPods(bed, namespace, 'app=plain')
        t.equal(fieldAt(pod, 'metadata', 'annotations', 'rightslice.dev/decision'), undefined)
        t.strictSame(gpuOf(pod, 'limits'), { 'nvidia.com/gpu': '1' })
      }
    })

    const nightly = rows[0]
    if (nightly !== undefined) {
      await t.test('CronJob nightly gets its slice by the history of its earlier runs', (t) =>
        checkRow(t, on, nightly)
      )
    }

    await t.test(
      'when the webhook that rewrites is down, pods of an enforced namespace are created unchanged, in time',
      async (t) => {
        await withoutIsolation(bed)
        const code = await product.stop()
        const startMs = performance.now()

        await create(bed, barePod('late'), 'team-a')

        const tookMs = performance.now() - startMs
        const [pod] = await findPods(bed, 'team-a', 'app=late')
        t.equal(code, 0, 'the webhook ended by itself after SIGTERM')
        t.ok(tookMs < 5000, `created after ${Math.round(tookMs)} ms; a call is given up after 2 s`)
        t.strictSame(gpuOf(pod, 'limits'), { 'nvidia.com/gpu': '1' })
        t.equal(fieldAt(pod, 'metadata', 'annotations', 'rightslice.dev/decision'), undefined)
      }
    )
    await simulator.stop()
  }
)

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<Product> {
  for (const node of nodes) await simulator.addNode(node)
  const product = await startProduct(bed)
  t.teardown(() => product.stop())
  await createNamespace(bed, 'team-a', { labels: enforce })
  await createNamespace(bed, 'team-s', { labels: { ...enforce, 'rightslice.dev/isolation': 'shared-ok' } })
  const mig = { allowedProfiles: ['1g.5gb', '2g.10gb'], headroom: '20%' }
  await create(bed, policy('dc1', { mig, timeSlicing: { namespaces: ['team-s'], maxReplicas: 4 } }))
  for (const { kind, name, namespace, peakMemory } of rows) {
    if (peakMemory !== undefined) await writeHistory(bed, { namespace, kind, name, peakMemory })
  }
  await writeHistory(bed, { namespace: 'team-a', kind: 'Pod', name: 'probe', peakMemory: '1000Mi' })
  await untilHeard(bed, { namespace: 'team-a', reason: 'FitsMigProfile', pod: barePod('probe') })
  return product
}

/**
 * Takes away the webhook that fails closed, and waits until the API server asks it no more: a pod that it alone refuses, for the
 * policies of the API server cannot read references, is let in.
 */
async function withoutIsolation(bed: OnBed['bed']): Promise<void> {
  const nosy = barePod('nosy')
  const [main] = listOf(nosy['spec'], 'containers')
  const env = [
    { name: 'A', value: 'all' },
    { name: 'NVIDIA_VISIBLE_DEVICES', value: '$(A)' }
  ]
  const refused = { ...nosy, spec: { ...Object(nosy['spec']), containers: [{ ...Object(main), env }] } }
  const admit = () => bed.request('POST', '/api/v1/namespaces/team-a/pods?dryRun=All', refused)
  const before = await admit()
  if (before.status === 201) throw new Error('the pod that isolation should refuse was let in')

  const { code, stderr } = await bed.kubectl([
    'delete',
    'validatingwebhookconfiguration',
    'rightslice-isolation'
  ])
  if (code !== 0) throw new Error(stderr)

  await until('the API server asks isolation no more', async () => (await admit()).status === 201)
}

async function checkRow(t: Test, { bed }: OnBed, { name, namespace, want }: Row): Promise<void> {
  const pod = await untilBound(bed, namespace, name)

  t.strictSame(gpuOf(pod, 'limits'), { [want.resource]: '1' }, 'limits')
  t.strictSame(gpuOf(pod, 'requests'), { [want.resource]: '1' }, 'requests')
  t.equal(stringMapOf(fieldOf(pod, 'metadata'), 'annotations')['rightslice.dev/decision'], want.reason)
  if (want.node !== undefined) t.equal(fieldAt(pod, 'spec', 'nodeName'), want.node)
}
