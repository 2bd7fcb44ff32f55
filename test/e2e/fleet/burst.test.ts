import t, { type Test } from 'tap'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import type { GpuNodeSpec } from '../../bed/nodes.ts'
import { until } from '../../bed/until.ts'
import { policy, workload } from '../objects.ts'
import { create, writeHistory } from '../product.ts'
import { eventsOf, type PodHistory } from './pod-history.ts'
import { enforced, type FleetStage, replicated, setFleetStage, untilAllHeard } from './stage.ts'

/*
 * 200 replicas at once for 50 free slices. What a replica of the webhook answered, the other one learns from the watch, which is late
 * here, so that more slices are given than there are; the controller takes the surplus back.
 */

const SLICES = 50
const WORKLOADS = 4
const PODS_OF_EACH = 50
const NAMESPACE = 'burst'
const SLICE = 'nvidia.com/mig-1g.10gb'

/** Later than it ever is on a cluster that is well, ms; so that the surplus is certain, and not more than a few looks of the controller take back. */
const LATE_MS = 400

/** (R - 1) x F, as docs/capacity.md has it. */
const MOST_OVERRUN = SLICES

const nodes: readonly GpuNodeSpec[] = [
  {
    name: 'slices',
    product: 'A100-80',
    layout: { kind: 'mig-mixed', gpus: 8, profiles: { '1g.10gb': SLICES } }
  },
  { name: 'whole-1', product: 'A100-80', layout: { kind: 'whole', gpus: 100 } },
  { name: 'whole-2', product: 'A100-80', layout: { kind: 'whole', gpus: 100 } }
]

const names = Array.from({ length: WORKLOADS }, (_, index) => `web-${index}`)

/** From the burst until all pods are bound: a wait of ten seconds, and looks ten seconds apart that take back three pods each. */
const ALL_BOUND_MS = 220_000

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<FleetStage> {
  for (const node of nodes) await simulator.addNode(node)
  const stage = await setFleetStage(t, bed)
  await enforced(bed, NAMESPACE)
  await create(bed, policy('all', { rescueAfter: '10s' }))
  for (const name of names)
    await writeHistory(bed, { namespace: NAMESPACE, kind: 'Deployment', name, peakMemory: '7Gi' })
  await untilAllHeard(bed, { namespace: NAMESPACE, reason: 'FitsMigProfile', peakMemory: '7Gi' })
  await stage.controller()
  return stage
}

/** Resolves once all pods were created for the first time, with how many of them were given a slice. */
async function burst(stage: FleetStage): Promise<number> {
  const { bed, history } = stage
  stage.setDelay(LATE_MS)
  for (const name of names)
    await create(bed, replicated(workload('Deployment', name), PODS_OF_EACH), NAMESPACE)
  await until('200 pods are created', () => history.of(NAMESPACE).length >= WORKLOADS * PODS_OF_EACH, 60_000)
  stage.setDelay(0)
  return history.of(NAMESPACE).filter(({ share }) => share !== '').length
}

async function untilAllBound(history: PodHistory): Promise<void> {
  await until(
    'every pod is bound',
    () => {
      const living = history.living(NAMESPACE)
      return living.length === WORKLOADS * PODS_OF_EACH && living.every(({ node }) => node !== '')
    },
    ALL_BOUND_MS
  )
}

async function test(t: Test, on: OnBed): Promise<void> {
  const stage = await prepare(t, on)
  const { history, bed } = stage
  const startMs = Date.now()
  const given = await burst(stage)
  const burstMs = Date.now() - startMs
  const overrun = given - SLICES
  await untilAllBound(history)
  const allMs = Date.now() - startMs
  const rescued = history.of(NAMESPACE).filter(({ isGone }) => isGone)
  t.comment(`created in ${burstMs} ms; given ${given}, overrun ${overrun}, bound ${MOST_OVERRUN} at most`)
  t.comment(`rescued ${rescued.length}; all bound after ${allMs} ms`)

  await t.test('no more slices are given too many than the documentation says', async (t) => {
    t.ok(overrun > 0, `${overrun} too many, since the watch is late`)
    t.ok(overrun <= MOST_OVERRUN, `${overrun} of ${MOST_OVERRUN}`)
  })
  await t.test('all that were too many are rescued, and nobody else is', async (t) => {
    t.equal(rescued.length, overrun)
    t.strictSame([...new Set(rescued.map(({ share, node }) => `${share} ${node}`))], ['mig-1g.10gb '])
  })
  await t.test('in the end every pod is bound, and every slice has one', async (t) => {
    const living = history.living(NAMESPACE)
    const onSlices = living.filter(({ asked }) => asked[SLICE] === '1')
    t.equal(onSlices.length, SLICES)
    t.ok(onSlices.every(({ node }) => node === 'slices'))
    const whole = living.filter(({ asked }) => asked['nvidia.com/gpu'] === '1' && asked[SLICE] === undefined)
    t.equal(whole.length, WORKLOADS * PODS_OF_EACH - SLICES)
  })
  await t.test('each pod that was taken back has its Event', async (t) => {
    const told = await eventsOf(bed, NAMESPACE, { reason: 'FellBackToWholeGpu', kind: 'Pod' })
    t.strictSame(
      rescued.filter(({ name }) => told.get(name)?.length !== 1).map(({ name }) => name),
      []
    )
  })
}

await bedTest(t, 'a burst of 200 replicas for 50 free slices', test, {
  controllerManagerArgs: ['--kube-api-qps=1000', '--kube-api-burst=1000', '--concurrent-replicaset-syncs=20']
})
