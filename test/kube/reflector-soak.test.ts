import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { fieldAt, stringOf } from '../../src/core/json.ts'
import type { FakeCollection, Fault, FaultPlace } from '../fakes/fake-api-server.ts'
import { hasty, type NodeView, node, type Setup, setUp } from './reflector-rig.ts'

/** Faults in one run; the runs together have more than a thousand. */
const FAULTS_A_RUN = 120
const RUNS = 10

const CHECK_MS = 20 * 60_000

/** Versions that a backup lies back: more than come about until the reader doubts. */
const LOST_VERSIONS = 200

/** One thing that happens to server, network or clock. */
type Mishap = (setup: Setup) => void

const place = fc.constantFrom<FaultPlace>('list', 'page', 'watch')
const fault = fc.constantFrom<Fault>(
  'reset',
  'cut',
  'garbage',
  'hang',
  { status: 410 },
  { status: 429, retryAfterSeconds: 3 },
  { status: 503, retryAfterSeconds: 1 },
  { status: 500 },
  { status: 401 },
  { status: 403 }
)

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  fc.tuple(place, fault).map(
    ([where, what]): Mishap =>
      ({ nodes }) =>
        nodes.failNext(where, what)
  ),
  fc.constantFrom<Mishap>(
    ({ nodes }) => void nodes.streams[0]?.reset(),
    ({ nodes }) => void nodes.streams[0]?.end(),
    ({ nodes }) => mute(nodes),
    ({ nodes }) => nodes.bookmark(),
    ({ nodes }) => nodes.expire(),
    ({ nodes }) => nodes.repeat(5),
    ({ nodes }) => nodes.streams[0]?.fail(410, 'too old resource version'),
    ({ nodes }) => nodes.streams[0]?.fail(500, 'etcdserver: leader changed'),
    ({ nodes }) => nodes.streams[0]?.sendRaw('{"type":"ADDED","object":{"metadata":{"na\n'),
    ({ nodes }) => cutInALine(nodes),
    ({ server }) => server.restart(),
    ({ server }) => server.restore(server.version() - LOST_VERSIONS),
    ({ clock }) => clock.jump(86_400_000),
    ({ clock }) => clock.jump(-86_400_000)
  )
)

const change: fc.Arbitrary<Mishap> = fc
  .record({ name: fc.integer({ min: 0, max: 19 }), gpus: fc.integer({ min: 0, max: 3 }) })
  .map(
    ({ name, gpus }): Mishap =>
      ({ nodes }) => {
        if (gpus === 0) nodes.remove(`n${name}`)
        else nodes.put(node(`n${name}`, gpus))
      }
  )

/** A fault, and what changes in the cluster around it, and the seconds that pass. */
const step = fc.record({
  before: fc.array(change, { maxLength: 3 }),
  mishap,
  after: fc.array(change, { maxLength: 3 }),
  seconds: fc.integer({ min: 0, max: 40 }),
  turns: fc.integer({ min: 0, max: 30 })
})

t.test(
  'drift 0 after 1000 random faults: after some quiet the store is the truth, and no check found anything',
  async (t) => {
    let faults = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: FAULTS_A_RUN, maxLength: FAULTS_A_RUN }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (steps, luck) => {
          await t.test('a run', async (t) => {
            const setup = await setUp(t, { pageSize: 3, checkMs: CHECK_MS, random: () => luck }, hasty)
            const sum = addUp(setup)
            for (let n = 0; n <= LOST_VERSIONS; n += 1) setup.nodes.expire()
            setup.reflector.start()
            for (const { before, mishap, after, seconds, turns } of steps) {
              for (const act of [...before, mishap, ...after]) act(setup)
              setup.clock.advance(seconds * 1000)
              await pass(turns)
            }
            faults += steps.length

            await calmDown(t, setup)

            t.strictSame(held(setup), truth(setup))
            t.strictSame([...sum.values()].toSorted(byName), held(setup), 'changes add up to what is listed')
            t.equal(setup.reflector.state().drift, 0)
          })
          return t.passing()
        }
      ),
      { numRuns: RUNS, endOnFailure: true }
    )
    t.ok(faults >= 1000, `${faults} faults`)
  }
)

/** Ends all faults and lets time pass until a check has been made and the store is the truth; some hours at most. */
async function calmDown(t: Test, setup: Setup): Promise<void> {
  const { server, nodes, clock } = setup
  nodes.endFaults()
  for (const stream of nodes.streams) if (stream.silent) await stream.reset()
  const before = checksOf(setup)
  for (let round = 0; round < 3000; round += 1) {
    clock.advance(10_000)
    await pass(10)
    nodes.bookmark()
    if (round % 60 === 59) for (const stream of nodes.streams) await stream.end()
    if (checksOf(setup) > before && isDeepStrictEqual(held(setup), truth(setup))) break
  }
  t.ok(checksOf(setup) > before, `checked among ${server.seen.length} requests`)
}

function checksOf({ server }: Setup): number {
  return server.seen.filter(({ query }) => query['resourceVersionMatch'] === 'Exact').length
}

async function pass(turns: number): Promise<void> {
  for (let n = 0; n < turns; n += 1) await nextTurn()
}

/** What a listener knows that only adds up what it is told. */
function addUp({ reflector }: Setup): ReadonlyMap<string, NodeView> {
  const sum = new Map<string, NodeView>()
  reflector.onChange((changes) => {
    for (const { before, after } of changes) {
      if (before !== undefined) sum.delete(before.name)
      if (after !== undefined) sum.set(after.name, after)
    }
  })
  return sum
}

function held({ reflector }: Setup): readonly NodeView[] {
  return reflector.list().toSorted(byName)
}

function truth({ nodes }: Setup): readonly NodeView[] {
  return [...nodes.truth().values()]
    .map((raw) => ({
      name: stringOf(fieldAt(raw, 'metadata'), 'name') ?? '',
      gpus: fieldAt(raw, 'status', 'gpus')
    }))
    .toSorted(byName)
}

function byName(a: NodeView, b: NodeView): number {
  return a.name < b.name ? -1 : 1
}

/** Nothing comes any more from the watch that is open. */
function mute({ streams: [stream] }: FakeCollection): void {
  if (stream !== undefined) stream.silent = true
}

function cutInALine({ streams: [stream] }: FakeCollection): void {
  if (stream === undefined) return
  stream.sendRaw('{"type":"ADDED","object":{"metadata":{"na')
  stream.silent = true
  void stream.reset()
}
