import t, { type Test } from 'tap'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { until } from '../../bed/until.ts'
import { policy, workload } from '../objects.ts'
import { create, writeHistory } from '../product.ts'
import { eventsOf, type PodLife } from './pod-history.ts'
import { enforced, type FleetStage, setFleetStage, untilAllHeard } from './stage.ts'

/*
 * A share that is promised and never comes, and a workload whose pod is made anew every 25 minutes of a simulated clock, for four
 * hours: it is given the share again and again, and how often is what this test is about.
 */

const NAMESPACE = 'promised'
const MINUTE_MS = 60_000
const STEP_MINUTES = 25
const STEPS = 10

/** What a pod was given, and at which step of the simulated clock. */
interface Given {
  readonly atMinute: number
  readonly share: string
}

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<FleetStage> {
  await simulator.addNode({ name: 'whole', product: 'A100-80', layout: { kind: 'whole', gpus: 4 } })
  const stage = await setFleetStage(t, bed)
  await enforced(bed, NAMESPACE)
  await create(bed, policy('promises', { mig: { provisionable: ['1g.10gb'] }, rescueAfter: '1m' }))
  await writeHistory(bed, { namespace: NAMESPACE, kind: 'Deployment', name: 'web', peakMemory: '7Gi' })
  await untilAllHeard(bed, { namespace: NAMESPACE, reason: 'FitsMigProfile', peakMemory: '7Gi' })
  await stage.controller()
  return stage
}

/** The pod that lives and has a node; where one waits for its share, once it was rescued. */
function untilRuns({ history }: FleetStage): Promise<PodLife> {
  return until(
    'the pod of web runs',
    () => {
      const [only, ...more] = history.living(NAMESPACE)
      return more.length === 0 && only !== undefined && only.node !== '' && only
    },
    60_000
  )
}

/** Lets time go by, and has the pod made anew at each step. */
async function walk({ bed, history, ...stage }: FleetStage): Promise<readonly Given[]> {
  const given: Given[] = []
  let known = 0
  const note = (atMinute: number): void => {
    const all = history.of(NAMESPACE)
    for (const { share } of all.slice(known)) given.push({ atMinute, share })
    known = all.length
  }
  await create(bed, workload('Deployment', 'web'), NAMESPACE)
  for (let step = 0; step <= STEPS; step += 1) {
    await stage.setClock((step * STEP_MINUTES + 1) * MINUTE_MS) // a pod that was just found to fit nowhere has waited for a minute
    if (step > 0) {
      const { name } = await untilRuns({ bed, history, ...stage })
      await bed.request('DELETE', `/api/v1/namespaces/${NAMESPACE}/pods/${name}`)
      await until('it is made anew', () => history.of(NAMESPACE).length > known)
    }
    await untilRuns({ bed, history, ...stage })
    note(step * STEP_MINUTES)
  }
  return given
}

async function test(t: Test, on: OnBed): Promise<void> {
  const stage = await prepare(t, on)
  const given = await walk(stage)
  const shares = given.filter(({ share }) => share !== '').map(({ atMinute }) => atMinute)
  t.comment(given.map(({ atMinute, share }) => `${atMinute} min ${share || 'whole'}`).join(', '))

  await t.test('the share is given again after an hour, and then after two', async (t) => {
    t.strictSame(shares, [0, 75, 200], 'minutes: the first step after 60, and after 120 more')
  })
  await t.test('every pod without the share ran on a whole GPU', async (t) => {
    t.equal(given.length, STEPS + 1 + shares.length)
    t.ok(stage.history.of(NAMESPACE).every(({ share, node }) => (share === '') === (node === 'whole')))
  })
  await t.test('each time that it was taken back there is an Event', async (t) => {
    const told = await eventsOf(stage.bed, NAMESPACE, { reason: 'FellBackToWholeGpu', kind: 'Deployment' })
    t.equal(told.get('web')?.length, shares.length)
  })
}

await bedTest(t, 'a workload goes to and fro no more than once an hour', test)
