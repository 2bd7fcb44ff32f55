import type { Test } from 'tap'
import { fieldAt, stringOf } from '../../src/core/json.ts'
import { Reflector } from '../../src/kube/reflector.ts'
import type { ReflectorOptions, Trouble } from '../../src/kube/reflector-options.ts'
import type { ObjectStore } from '../../src/ports/object-store.ts'
import type { FakeApiServer, FakeCollection } from '../fakes/fake-api-server.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { MemoryLog } from '../fakes/memory-log.ts'
import { fakeCluster } from './fake-cluster.ts'

const path = '/api/v1/nodes'
/** A signal that never aborts. */
export const never = new AbortController().signal
/** Length of the watchdog's sleep, ms. */
export const WATCHDOG_MS = 90_000

/** What the reflector of the rig keeps of a node. */
export interface NodeView {
  readonly name: string
  readonly gpus: unknown
}

/** A reflector of nodes behind a fake API server, and what it said. */
export interface Setup {
  readonly server: FakeApiServer
  readonly nodes: FakeCollection
  readonly clock: FakeClock
  readonly log: MemoryLog
  readonly troubles: Trouble['kind'][]
  readonly reflector: Reflector<NodeView>
}

type Connection = ReflectorOptions<NodeView>['connection']

function viewOf(raw: unknown): NodeView | undefined {
  const gpus = fieldAt(raw, 'status', 'gpus')
  if (gpus === 'poison') throw new TypeError('planted')
  return gpus === 'none' ? undefined : { name: stringOf(fieldAt(raw, 'metadata'), 'name') ?? '', gpus }
}

/** Makes a reflector that is not started yet; all of it ends with the test. */
export async function setUp(
  t: Test,
  change: Partial<ReflectorOptions<NodeView>> = {},
  wrap: (connection: Connection) => Connection = (connection) => connection
): Promise<Setup> {
  const { server, connection } = await fakeCluster(t)
  const nodes = server.collection(path, 'v1', 'Node')
  const clock = new FakeClock()
  const log = new MemoryLog()
  const troubles: Trouble['kind'][] = []
  const reflector = new Reflector<NodeView>({
    connection: wrap(connection),
    resource: { path, kind: 'Node' },
    project: viewOf,
    clock,
    random: () => 0.5,
    log,
    onTrouble: ({ kind }) => troubles.push(kind),
    ...change
  })
  t.teardown(() => reflector.stop())
  return { server, nodes, clock, log, troubles, reflector }
}

/** A node as the server stores it. */
export function node(
  name: string,
  gpus: unknown = 1
): { metadata: { name: string }; status: { gpus: unknown } } {
  return { metadata: { name }, status: { gpus } }
}

/** Resolves once `holds`; checks after each change of the store. */
export async function untilStore<T>(store: ObjectStore<T>, holds: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => {
    if (holds()) resolve()
  }
  const end = store.onChange(check)
  check()
  await promise
  end()
}

/** Lets the reflector's next pause begin, tells its length and ends it. */
export async function passPause(clock: FakeClock): Promise<number> {
  const pauseMs = await clock.untilSleep((ms) => ms !== WATCHDOG_MS)
  clock.advance(pauseMs)
  return pauseMs
}

/** Names of what is held, in order. */
export function names(reflector: Reflector<NodeView>): readonly string[] {
  return reflector
    .list()
    .map(({ name }) => name)
    .toSorted()
}

/** The same connection with so much shorter time limits: usually minutes are tens of milliseconds. */
export function hasty({ request }: Connection, factor = 1000): Connection {
  return { request: (order) => request({ ...order, timeoutMs: (order.timeoutMs ?? 30_000) / factor }) }
}
