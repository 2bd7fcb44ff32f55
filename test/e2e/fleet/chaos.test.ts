import t, { type Test } from 'tap'
import { fieldAt, type JsonRecord } from '../../../src/core/json.ts'
import { bodyOf, MERGE_PATCH } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import type { GpuNodeSpec } from '../../bed/nodes.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { aRawQuota } from '../../build/quota.ts'
import { job, policy, workload } from '../objects.ts'
import { create, writeHistory } from '../product.ts'
import { eventsOf, type PodLife } from './pod-history.ts'
import { enforced, type FleetStage, replicated, setFleetStage, untilAllHeard } from './stage.ts'

/*
 * Between decision and binding all sorts of things happen to pods that were given slices: the scheduler stands still meanwhile. The
 * controller is killed while it rescues them.
 */

const nodes: readonly GpuNodeSpec[] = [
  { name: 'small', product: 'A100-80', layout: { kind: 'mig-mixed', gpus: 1, profiles: { '1g.10gb': 4 } } },
  { name: 'middle', product: 'H100-80', layout: { kind: 'mig-mixed', gpus: 1, profiles: { '2g.20gb': 3 } } },
  { name: 'large', product: 'A100-80', layout: { kind: 'mig-mixed', gpus: 1, profiles: { '3g.40gb': 2 } } },
  { name: 'whole', product: 'A100-80', layout: { kind: 'whole', gpus: 24 } }
]

/** What is done to the pods of a namespace. */
const scenes = [
  { namespace: 'vanished', peakMemory: '7Gi', share: 'mig-1g.10gb', spec: { rescueAfter: '2s' } },
  { namespace: 'cordoned', peakMemory: '15Gi', share: 'mig-2g.20gb', spec: { rescueAfter: '2s' } },
  { namespace: 'limited', peakMemory: '7Gi', share: 'mig-1g.10gb', spec: { rescueAfter: '2s' } },
  { namespace: 'ungoverned', peakMemory: '25Gi', share: 'mig-3g.40gb', spec: {} }
] as const

const REPLICAS = 2
const PODS = scenes.length * REPLICAS + 1

/** A new leader waits 15 s for the lease of one that was killed; then come a few looks. */
const RESCUED_MS = 90_000

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<FleetStage> {
  for (const node of nodes) await simulator.addNode(node)
  const stage = await setFleetStage(t, bed)
  for (const { namespace, peakMemory, spec } of scenes) {
    await enforced(bed, namespace)
    const only = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
    await create(bed, policy(namespace, { ...spec, namespaceSelector: only }))
    await writeHistory(bed, { namespace, kind: 'Deployment', name: 'web', peakMemory })
  }
  await writeHistory(bed, { namespace: 'cordoned', kind: 'Job', name: 'train', peakMemory: '15Gi' })
  await limit(bed, '4')
  for (const { namespace, peakMemory } of scenes)
    await untilAllHeard(bed, { namespace, reason: 'FitsMigProfile', peakMemory })
  return stage
}

/** Sets the quota of whole GPUs; that of slices has room for all. */
async function limit(bed: Bed, wholeGpus: string): Promise<void> {
  const hard = { 'requests.nvidia.com/gpu': wholeGpus, 'requests.nvidia.com/mig-1g.10gb': '4' }
  const path = '/api/v1/namespaces/limited/resourcequotas'
  const { apiVersion, kind } = aRawQuota()
  const quota: JsonRecord = { apiVersion, kind, metadata: { name: 'gpu' }, spec: { hard } }
  const there = await bed.request('PATCH', `${path}/gpu`, { spec: { hard } }, MERGE_PATCH)
  if (there.status === 404) bodyOf(await bed.request('POST', path, quota), 'create quota')
  await until(`the quota is ${wholeGpus}`, async () => {
    const { body } = await bed.request('GET', `${path}/gpu`)
    return fieldAt(body, 'status', 'hard', 'requests.nvidia.com/gpu') === wholeGpus
  })
}

/** Gives every pod its slice while nobody binds any. */
async function decideAll({ bed, history }: FleetStage): Promise<readonly PodLife[]> {
  for (const { namespace } of scenes)
    await create(bed, replicated(workload('Deployment', 'web'), REPLICAS), namespace)
  await create(bed, job('train'), 'cordoned')
  await until('every pod is decided on', () => history.of().length === PODS)
  return history.of()
}

/** Everything goes wrong at once. */
async function upset({ bed, simulator }: OnBed): Promise<void> {
  await simulator.setLayout('small', { kind: 'mig-mixed', gpus: 1, profiles: { '7g.80gb': 1 } })
  await simulator.setLayout('large', { kind: 'mig-mixed', gpus: 1, profiles: { '7g.80gb': 1 } })
  const cordon = { spec: { unschedulable: true } }
  bodyOf(await bed.request('PATCH', '/api/v1/nodes/middle', cordon, MERGE_PATCH), 'cordon')
  await limit(bed, '0')
  bodyOf(
    await bed.request('DELETE', '/apis/rightslice.dev/v1alpha1/gpupolicies/ungoverned'),
    'remove the policy'
  )
}

/** Pods of the namespace that have whole GPUs and a node, or have run to their end there. */
function settled({ history }: FleetStage, namespace: string): number {
  return history
    .living(namespace)
    .filter(({ node, share, asked }) => node === 'whole' && share === '' && asked['nvidia.com/gpu'] === '1')
    .length
}

async function test(t: Test, on: OnBed): Promise<void> {
  const { bed } = on
  const stage = await prepare(t, on)
  const { history } = stage
  const scheduler = bed.pids[3] ?? 0
  process.kill(scheduler, 'SIGSTOP')
  t.teardown(() => process.kill(scheduler, 'SIGCONT'))
  const given = await decideAll(stage)
  t.strictSame(
    [...new Set(given.map(({ namespace, share }) => `${namespace} ${share}`))].sort(),
    scenes.map(({ namespace, share }) => `${namespace} ${share}`).sort()
  )
  await upset(on)
  process.kill(scheduler, 'SIGCONT')

  const first = await stage.controller()
  await until('a pod is rescued', () => history.of().some(({ isGone }) => isGone), RESCUED_MS)
  await first.stop('SIGKILL')
  const taken = history.of().filter(({ isGone }) => isGone).length
  await stage.controller()

  await t.test(
    `a controller that is killed after ${taken} of 5 pods leaves the rest to the next`,
    async (t) => {
      await until('slices that are gone', () => settled(stage, 'vanished') === REPLICAS, RESCUED_MS)
      await until('a node that is cordoned', () => settled(stage, 'cordoned') === REPLICAS + 1, RESCUED_MS)
      t.equal(history.of().filter(({ isGone }) => isGone).length, 2 * REPLICAS + 1)
    }
  )
  await t.test('pods whose quota leaves no whole GPU stay, until it does', async (t) => {
    const waiting = history.living('limited').map(({ uid }) => uid)
    t.strictSame(waiting.sort(), uidsOf(given, 'limited'))
    await limit(bed, '2')
    await until('the quota has room', () => settled(stage, 'limited') === REPLICAS, RESCUED_MS)
  })
  await t.test('pods whose policy is gone wait as long as is usual, and no longer', async (t) => {
    t.strictSame(
      history
        .living('ungoverned')
        .map(({ uid }) => uid)
        .sort(),
      uidsOf(given, 'ungoverned')
    )
    await stage.setClock(300_000)
    await until('five minutes have passed', () => settled(stage, 'ungoverned') === REPLICAS, RESCUED_MS)
  })
  await t.test('no pod is lost, and none was made twice', async (t) => {
    for (const { namespace } of scenes) {
      const want = namespace === 'cordoned' ? REPLICAS + 1 : REPLICAS
      t.equal(history.living(namespace).length, want, namespace)
      t.equal(history.of(namespace).length, 2 * want, `${namespace}: each was made anew once`)
    }
    // Pods are bound a moment before they are ready, and before their Deployments hear of it.
    await until('all are ready', async () => (await readyReplicas(bed)) === scenes.length * REPLICAS)
  })
  await t.test('every pod that went has one Event, and so has who owned it', (t) => checkEvents(t, stage))
}

function uidsOf(lives: readonly PodLife[], namespace: string): readonly string[] {
  return lives.flatMap((life) => (life.namespace === namespace ? life.uid : [])).sort()
}

async function readyReplicas(bed: Bed): Promise<number> {
  let sum = 0
  for (const { namespace } of scenes) {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web`
    sum += Number(fieldAt((await bed.request('GET', path)).body, 'status', 'readyReplicas') ?? 0)
  }
  return sum
}

async function checkEvents(t: Test, { bed, history }: FleetStage): Promise<void> {
  for (const { namespace, share } of scenes) {
    const ofPods = await eventsOf(bed, namespace, { reason: 'FellBackToWholeGpu', kind: 'Pod' })
    const gone = history.of(namespace).filter(({ isGone }) => isGone)
    t.strictSame([...ofPods.keys()].sort(), gone.map(({ name }) => name).sort(), namespace)
    t.ok(
      [...ofPods.values()].every(([message = '', ...more]) => more.length === 0 && message.includes(share))
    )
    const ofOwners = await eventsOf(bed, namespace, { reason: 'FellBackToWholeGpu', kind: 'Deployment' })
    t.strictSame(
      [...ofOwners].map(([name, messages]) => `${name} ${messages.length}`),
      ['web 1']
    )
  }
}

await bedTest(t, 'what was decided is overtaken before anything is bound', test)
