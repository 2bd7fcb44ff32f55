import t, { type Test } from 'tap'
import { fieldAt, fieldOf, type JsonRecord, stringMapOf } from '../../../src/core/json.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { GpuNodeSpec } from '../../bed/nodes.ts'
import { throughHami } from '../../build/hami-webhook.ts'
import { barePod, gpuOf, policy, workload } from '../objects.ts'
import { create, startProduct, untilBound, untilHeard, writeHistory } from '../product.ts'
import { register, startHamiScheduler } from './hami-scheduler.ts'

const L4_MIB = 23_034

const nodes: readonly GpuNodeSpec[] = [
  { name: 'mps-renamed', product: 'L4', layout: { kind: 'mps', gpus: 1, replicas: 4, renamed: true } },
  { name: 'mps-kept', product: 'A10', layout: { kind: 'mps', gpus: 1, replicas: 2, renamed: false } },
  { name: 'sliced', product: 'L4', layout: { kind: 'time-sliced', gpus: 1, replicas: 4, renamed: true } },
  { name: 'hami', product: 'L4', layout: { kind: 'whole', gpus: 1 } },
  { name: 'whole', product: 'H200-141', layout: { kind: 'whole', gpus: 8 } }
]

const labels = { 'rightslice.dev/rightsize': 'enforce', 'rightslice.dev/isolation': 'shared-ok' }

/** One Deployment, and what becomes of its pod. */
interface Row {
  readonly namespace: string
  readonly name: string
  readonly peakMemory: string
  readonly limits: Readonly<Record<string, string>>
  readonly node: string
  readonly scheduler?: string
}

const rows: readonly Row[] = [
  {
    namespace: 'team-mps',
    name: 'small',
    peakMemory: '4000Mi',
    limits: { 'nvidia.com/gpu.shared': '1' },
    node: 'mps-renamed'
  },
  {
    namespace: 'team-mps',
    name: 'larger',
    peakMemory: '7000Mi',
    limits: { 'nvidia.com/gpu': '1' },
    node: 'mps-kept'
  },
  {
    namespace: 'team-hami',
    name: 'measured',
    peakMemory: '5200Mi',
    limits: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '6240' },
    node: 'hami',
    scheduler: 'hami-scheduler'
  }
]

await bedTest(
  t,
  'pods get replicas of MPS and parts of GPUs by HAMi, and are bound where these are',
  async (t, on) => {
    const { bed, simulator } = on
    await prepare(t, on)

    for (const row of rows) {
      await create(bed, workload('Deployment', row.name), row.namespace)
      await t.test(`Deployment ${row.name} is bound to ${row.node}`, (t) => checkRow(t, on, row))
    }

    await t.test('a pod that HAMi’s webhook has seen first ends in the same share', async (t) => {
      const pod = throughHami(barePod('seen'))
      await create(bed, pod, 'team-hami')

      const bound = await untilBound(on.bed, 'team-hami', 'seen')

      t.strictSame(gpuOf(bound, 'limits'), { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '6240' })
      t.strictSame(gpuOf(bound, 'requests'), gpuOf(bound, 'limits'))
      t.equal(fieldAt(bound, 'spec', 'nodeName'), 'hami')
    })

    await t.test('a pod for which no memory is left keeps its GPU', async (t) => {
      await create(bed, barePod('third'), 'team-hami')
      await untilBound(on.bed, 'team-hami', 'third')
      await create(bed, barePod('fourth'), 'team-hami')

      const kept = await untilBound(on.bed, 'team-hami', 'fourth')

      t.strictSame(gpuOf(kept, 'limits'), { 'nvidia.com/gpu': '1' })
      const { 'rightslice.dev/decision': reason, 'rightslice.dev/explain': why } = stringMapOf(
        fieldOf(kept, 'metadata'),
        'annotations'
      )
      t.equal(reason, 'NoFreeSlice')
      t.match(why, /gpumem fits, but no node in reach has so much memory left/)
    })

    await t.test('hostIPC beside a replica of MPS is refused', async (t) => {
      const pod = barePod('nosy', { nodeSelector: { 'nvidia.com/gpu.sharing-strategy': 'mps' } })
      const spec = { ...Object(pod['spec']), hostIPC: true }

      const { code, stderr } = await bed.kubectl(['create', '-n', 'team-mps', '-f', '-'], {
        input: JSON.stringify({ ...pod, spec })
      })

      t.not(code, 0)
      t.match(stderr, /HostIpcWithSharedGpu/)
    })
    await simulator.stop()
  }
)

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<void> {
  for (const node of nodes) await simulator.addNode(node)
  await register(bed, 'hami', { gpus: 1, memoryMiB: L4_MIB })
  await startHamiScheduler(t, bed)
  const product = await startProduct(bed)
  t.teardown(() => product.stop())
  for (const namespace of ['team-mps', 'team-hami']) await createNamespace(bed, namespace, { labels })
  const mig = { headroom: '20%' }
  const only = (namespace: string): JsonRecord => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
  })
  const list = { namespaces: ['team-mps'], maxReplicas: 4 }
  await create(bed, policy('mps', { ...only('team-mps'), mig, mps: list, timeSlicing: list }))
  await create(bed, policy('hami', { ...only('team-hami'), mig, methods: ['hami'] }))
  for (const { namespace, name, peakMemory } of rows)
    await writeHistory(bed, { namespace, kind: 'Deployment', name, peakMemory })
  for (const name of ['seen', 'third', 'fourth'])
    await writeHistory(bed, { namespace: 'team-hami', kind: 'Pod', name, peakMemory: '5200Mi' })
  for (const namespace of ['team-mps', 'team-hami']) {
    await writeHistory(bed, { namespace, kind: 'Pod', name: 'probe', peakMemory: '3000Mi' })
    await untilHeard(bed, { namespace, reason: 'FitsSharedReplica', pod: barePod('probe') })
  }
}

async function checkRow(
  t: Test,
  on: OnBed,
  { namespace, name, limits, node, scheduler }: Row
): Promise<void> {
  const pod = await untilBound(on.bed, namespace, name)

  t.strictSame(gpuOf(pod, 'limits'), limits, 'limits')
  t.strictSame(gpuOf(pod, 'requests'), limits, 'requests')
  t.equal(fieldAt(pod, 'spec', 'schedulerName'), scheduler ?? 'default-scheduler')
  t.equal(fieldAt(pod, 'spec', 'nodeName'), node)
  t.equal(fieldAt(pod, 'metadata', 'annotations', 'rightslice.dev/decision'), 'FitsSharedReplica')
}
