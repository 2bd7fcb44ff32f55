import t, { type Test } from 'tap'
import { fieldAt, fieldOf, stringMapOf } from '../../src/core/json.ts'
import { bedTest, type OnBed } from '../bed/bed-test.ts'
import { createNamespace } from '../bed/namespace.ts'
import type { GpuNodeSpec } from '../bed/nodes.ts'
import { until } from '../bed/until.ts'
import { barePod, gpuOf, ownedByReplicaSet, policy } from './objects.ts'
import { create, startProduct, untilHeard, writeHistory } from './product.ts'

const nodes: readonly GpuNodeSpec[] = [
  {
    name: 'mig',
    product: 'H100-80',
    layout: { kind: 'mig-mixed', gpus: 4, profiles: { '1g.10gb': 7, '2g.20gb': 3, '3g.40gb': 2 }, whole: 2 }
  },
  { name: 'shared', product: 'L40S', layout: { kind: 'time-sliced', gpus: 2, replicas: 4, renamed: true } }
]

const GPU = 'nvidia.com/gpu'
const mig = (profile: string): string => `nvidia.com/mig-${profile}`
const ours = (name: string): string => `rightslice.dev/${name}`

/** A pod of a workload that peaks at 7 GiB, with annotations: what it asks for in the end, and why. */
interface Row {
  readonly says: string
  readonly namespace: string
  readonly annotations: Readonly<Record<string, string>>
  readonly resource: string
  readonly reason: string
  /** What the warning to the user holds. */
  readonly warns?: RegExp
}

const bad = (key: string, value: string): Row => ({
  says: `${key}: "${value}" is refused`,
  namespace: 'team-a',
  annotations: { [ours(key)]: value },
  resource: GPU,
  reason: 'AnnotationInvalid',
  warns: /AnnotationInvalid: rightslice\.dev\//
})

const rows: readonly Row[] = [
  {
    says: 'no annotation',
    namespace: 'team-a',
    annotations: {},
    resource: mig('1g.10gb'),
    reason: 'FitsMigProfile'
  },
  {
    says: 'another policy',
    namespace: 'team-b',
    annotations: {},
    resource: mig('2g.20gb'),
    reason: 'FitsMigProfile'
  },
  {
    says: 'headroom raises',
    namespace: 'team-a',
    annotations: { [ours('headroom')]: '80%' },
    resource: mig('2g.20gb'),
    reason: 'FitsMigProfile'
  },
  {
    says: 'headroom never lowers',
    namespace: 'team-b',
    annotations: { [ours('headroom')]: '0%' },
    resource: mig('2g.20gb'),
    reason: 'FitsMigProfile'
  },
  {
    says: 'min-memory raises',
    namespace: 'team-a',
    annotations: { [ours('min-memory')]: '15Gi' },
    resource: mig('2g.20gb'),
    reason: 'FitsMigProfile'
  },
  {
    says: 'min-memory never lowers',
    namespace: 'team-a',
    annotations: { [ours('min-memory')]: '1Gi' },
    resource: mig('1g.10gb'),
    reason: 'FitsMigProfile'
  },
  {
    says: 'min-memory beyond every share',
    namespace: 'team-a',
    annotations: { [ours('min-memory')]: '70Gi' },
    resource: GPU,
    reason: 'MinMemoryTooLarge'
  },
  {
    says: 'sharing never',
    namespace: 'team-a',
    annotations: { [ours('sharing')]: 'never' },
    resource: GPU,
    reason: 'OptedOut'
  },
  {
    says: 'sharing any',
    namespace: 'team-s',
    annotations: { [ours('sharing')]: 'any' },
    resource: `${GPU}.shared`,
    reason: 'FitsSharedReplica'
  },
  {
    says: 'sharing mig',
    namespace: 'team-s',
    annotations: { [ours('sharing')]: 'mig' },
    resource: mig('2g.20gb'),
    reason: 'FitsMigProfile'
  },
  {
    says: 'pin to a whole GPU',
    namespace: 'team-a',
    annotations: { [ours('pin')]: 'whole-gpu', [ours('reason')]: 'load test' },
    resource: GPU,
    reason: 'Pinned'
  },
  {
    says: 'pin to a slice',
    namespace: 'team-a',
    annotations: { [ours('pin')]: 'mig-3g.40gb' },
    resource: mig('3g.40gb'),
    reason: 'PinnedToSlice'
  },
  {
    says: 'pin to a replica',
    namespace: 'team-s',
    annotations: { [ours('pin')]: 'shared' },
    resource: `${GPU}.shared`,
    reason: 'PinnedToSlice'
  },
  {
    says: 'pin to a replica where none is allowed',
    namespace: 'team-a',
    annotations: { [ours('pin')]: 'shared' },
    resource: GPU,
    reason: 'TimeSlicingNotListed'
  },
  {
    says: 'pin to what nobody offers',
    namespace: 'team-a',
    annotations: { [ours('pin')]: 'mig-4g.40gb' },
    resource: GPU,
    reason: 'PinNotOffered'
  },
  {
    says: 'pin where the policy obeys none',
    namespace: 'team-b',
    annotations: { [ours('pin')]: 'whole-gpu' },
    resource: mig('2g.20gb'),
    reason: 'FitsMigProfile',
    warns: /pin is not obeyed/
  },
  {
    says: 'do-not-move is for repartition',
    namespace: 'team-a',
    annotations: { [ours('do-not-move')]: '8h' },
    resource: mig('1g.10gb'),
    reason: 'FitsMigProfile'
  },
  {
    says: 'forged marks are overwritten',
    namespace: 'team-a',
    annotations: { [ours('decision')]: 'Pinned', [ours('snapshot')]: 'forged' },
    resource: mig('1g.10gb'),
    reason: 'FitsMigProfile'
  },
  bad('headroom', 'lots'),
  bad('headroom', '-10%'),
  bad('min-memory', 'twenty'),
  bad('min-memory', '0'),
  bad('sharing', 'sometimes'),
  bad('pin', 'mig-9g.1tb'),
  bad('pin', 'half'),
  bad('do-not-move', 'maybe'),
  bad('pinn', 'whole-gpu')
]

await bedTest(t, 'user annotations and policies act on real pods', async (t, on) => {
  const { bed } = on
  await prepare(t, on)

  for (const [index, row] of rows.entries()) {
    await t.test(`${row.says}: ${row.resource}, ${row.reason}`, async (t) => {
      const pod = barePod(`pod-${index}`, {
        annotations: row.annotations,
        labels: { app: 'x', 'pod-template-hash': 'abc' }
      })
      const input = JSON.stringify(ownedByReplicaSet(pod))

      const { code, stdout, stderr } = await bed.kubectl(
        ['create', '-n', row.namespace, '-o', 'json', '-f', '-'],
        { input }
      )

      t.equal(code, 0, stderr)
      const body: unknown = JSON.parse(stdout)
      const marks = stringMapOf(fieldOf(body, 'metadata'), 'annotations')
      t.strictSame(gpuOf(body, 'limits'), { [row.resource]: '1' })
      t.equal(marks[ours('decision')], row.reason)
      t.not(marks[ours('snapshot')], 'forged')
      t.match(stderr, row.warns ?? /Warning: rightslice: /)
      // It gives its share back, so that the next row finds one.
      await bed.kubectl(['delete', 'pod', `pod-${index}`, '-n', row.namespace, '--force', '--wait=false'])
    })
  }

  await t.test('a namespace on warn decides and says, but changes nothing', async (t) => {
    const input = JSON.stringify(ownedByReplicaSet(barePod('warned')))

    const { stdout, stderr } = await bed.kubectl(['create', '-n', 'team-w', '-o', 'json', '-f', '-'], {
      input
    })

    const body: unknown = JSON.parse(stdout)
    t.match(stderr, /container "main" would get nvidia\.com\/mig-1g\.10gb/)
    t.strictSame(gpuOf(body, 'limits'), { [GPU]: '1' })
    t.equal(fieldAt(body, 'metadata', 'annotations', ours('decision')), undefined)
  })

  await t.test(
    'a policy that only the engine can judge turns only itself off, and the pods are told',
    async (t) => {
      const broken = policy('broken', { priority: 100, window: 'Sat 02:00-06:00 Mars/Base' })
      await create(bed, broken)
      const input = JSON.stringify(ownedByReplicaSet(barePod('told')))

      const stderr = await until('the warning names the policy', async () => {
        const told = await bed.kubectl(['create', '--dry-run=server', '-n', 'team-a', '-f', '-'], { input })
        return told.stderr.includes('broken') && told.stderr
      })

      t.match(stderr, /Warning: rightslice: policy broken is invalid and switched off: spec\.window/)
      t.match(stderr, /gets nvidia\.com\/mig-1g\.10gb/)
    }
  )
})

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<void> {
  for (const node of nodes) await simulator.addNode(node)
  const product = await startProduct(bed)
  t.teardown(() => product.stop())
  const enforce = { [ours('rightsize')]: 'enforce' }
  await createNamespace(bed, 'team-a', { labels: enforce })
  await createNamespace(bed, 'team-b', { labels: { ...enforce, team: 'b' } })
  await createNamespace(bed, 'team-s', { labels: { ...enforce, [ours('isolation')]: 'shared-ok' } })
  await createNamespace(bed, 'team-w', { labels: { [ours('rightsize')]: 'warn' } })
  const timeSlicing = { namespaces: ['team-s'], maxReplicas: 4 }
  const listed = { methods: ['time-slicing', 'mig-mixed'], timeSlicing }
  await create(
    bed,
    policy('everyone', { mig: { allowedProfiles: ['1g.10gb', '2g.20gb'], headroom: '20%' }, ...listed })
  )
  const forB = { namespaceSelector: { matchLabels: { team: 'b' } }, exemptions: { allowPin: false } }
  await create(
    bed,
    policy('team-b', {
      priority: 10,
      mig: { allowedProfiles: ['2g.20gb', '3g.40gb'], headroom: '60%' },
      ...forB
    })
  )
  for (const namespace of ['team-b', 'team-s', 'team-w', 'team-a']) {
    const peakMemory = namespace === 'team-s' ? '9Gi' : '7Gi'
    await writeHistory(bed, { namespace, kind: 'Deployment', name: 'web', peakMemory })
  }
  await untilHeard(bed, {
    namespace: 'team-a',
    reason: 'FitsMigProfile',
    pod: ownedByReplicaSet(barePod('probe'))
  })
  await simulator.stop()
}
