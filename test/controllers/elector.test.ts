import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Elector } from '../../src/controllers/elector.ts'
import { leaseIn } from '../../src/kube/lease.ts'
import type { LeaseStore } from '../../src/ports/lease.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { FakeObjects } from '../fakes/fake-objects.ts'
import { MemoryLease } from '../fakes/memory-lease.ts'
import { MemoryLog } from '../fakes/memory-log.ts'

/** Lets everything that can happen without the clock happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await nextTurn()
}

interface Candidate {
  readonly log: MemoryLog
  /** Whether its work runs, now. */
  leads(): boolean
  /** How often it began to lead. */
  terms(): number
  stop(): Promise<void>
}

function candidate(
  t: Test,
  identity: string,
  { lease, clock }: { lease: LeaseStore; clock: FakeClock }
): Candidate {
  const log = new MemoryLog()
  const stopping = new AbortController()
  let leading = 0
  let terms = 0
  const elector = new Elector({ lease, identity, clock, random: () => 0, log })
  const running = elector.run(stopping.signal, async (signal) => {
    leading += 1
    terms += 1
    const { promise, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    leading -= 1
  })
  const stop = async (): Promise<void> => {
    stopping.abort()
    await running
  }
  t.teardown(stop)
  return { log, leads: () => leading > 0, terms: () => terms, stop }
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    clock.advance(Math.min(1000, left))
    await settle()
  }
}

const stores: Readonly<Record<string, () => LeaseStore>> = {
  'a lease in memory': () => new MemoryLease(),
  'a Lease object': () => leaseIn(new FakeObjects(), { namespace: 'ns', name: 'lease' })
}

for (const [what, make] of Object.entries(stores)) {
  t.test(`of two candidates over ${what} one leads, for as long as it renews`, async (t) => {
    const shared = { lease: make(), clock: new FakeClock() }
    const [a, b] = [candidate(t, 'a', shared), candidate(t, 'b', shared)]

    await settle()
    const first = [a.leads(), b.leads()]
    await pass(shared.clock, 120_000)

    t.strictSame([first.filter(Boolean).length, first.length], [1, 2])
    t.strictSame([a.leads(), b.leads()], first)
    t.equal(a.terms() + b.terms(), 1)
  })

  t.test(
    `a leader of ${what} that stops hands it back, and the other one leads after one look`,
    async (t) => {
      const shared = { lease: make(), clock: new FakeClock() }
      const a = candidate(t, 'a', shared)
      await settle()
      const b = candidate(t, 'b', shared)
      await settle()

      await a.stop()
      t.equal(a.leads(), false)
      await pass(shared.clock, 2_000)

      t.equal(b.leads(), true)
    }
  )
}

t.test('a holder that is silent is followed after its whole lease, by the clock of who waits', async (t) => {
  const lease = new MemoryLease()
  const clock = new FakeClock()
  // times of a clock that is years ahead must not matter
  await lease.create({
    holder: 'gone',
    durationSeconds: 15,
    acquiredMs: 9e12,
    renewedMs: 9e12,
    transitions: 4
  })
  const b = candidate(t, 'b', { lease, clock })
  await settle()

  await pass(clock, 14_000)
  t.equal(b.leads(), false)
  await pass(clock, 2_000)

  t.equal(b.leads(), true)
  t.match(lease.history.at(-1), { holder: 'b', transitions: 5 })
})

for (const [what, jumpMs] of [
  ['forward', 3_600_000],
  ['back', -3_600_000]
] as const) {
  t.test(`a wall clock that is set ${what} neither takes a live lease nor prolongs one`, async (t) => {
    const lease = new MemoryLease()
    const clocks = [new FakeClock(), new FakeClock()] as const
    const a = candidate(t, 'a', { lease, clock: clocks[0] })
    await settle()
    const b = candidate(t, 'b', { lease, clock: clocks[1] })
    await settle()

    for (const clock of clocks) clock.jump(jumpMs)
    await pass(clocks[1], 8_000)
    await pass(clocks[0], 8_000)
    t.strictSame([a.leads(), b.leads(), a.terms()], [true, false, 1])

    lease.unreachable = true
    await pass(clocks[0], 12_000)
    t.equal(a.leads(), false)
  })
}

t.test('a leader that cannot renew gives up before others may take over, and comes back', async (t) => {
  const lease = new MemoryLease()
  const clock = new FakeClock()
  const a = candidate(t, 'a', { lease, clock })
  await settle()

  lease.unreachable = true
  await pass(clock, 8_000)
  const early = a.leads()
  await pass(clock, 4_000)
  const late = a.leads()
  lease.unreachable = false
  await pass(clock, 4_000)

  t.equal(early, true)
  t.equal(late, false)
  t.equal(a.leads(), true)
  t.equal(a.terms(), 2)
  t.ok(a.log.lines.some(({ message }) => message === 'lease lost'))
})

t.test('a leader that finds somebody else in its lease ends at once', async (t) => {
  const lease = new MemoryLease()
  const clock = new FakeClock()
  const a = candidate(t, 'a', { lease, clock })
  await settle()
  const stored = await lease.read()
  if (stored === undefined) throw new Error('nobody took the lease')

  await lease.update(stored, { ...stored.record, holder: 'usurper' })
  await pass(clock, 3_000)

  t.equal(a.leads(), false)
  t.equal(lease.holder(), 'usurper')
})

t.test('the lease is handed back only after the work has ended', async (t) => {
  const lease = new MemoryLease()
  const clock = new FakeClock()
  const stopping = new AbortController()
  const finish = Promise.withResolvers<void>()
  const changes: boolean[] = []
  const elector = new Elector({
    lease,
    identity: 'a',
    clock,
    random: () => 0,
    log: new MemoryLog(),
    onChange: (leads) => changes.push(leads)
  })
  const running = elector.run(stopping.signal, () => finish.promise)
  await settle()

  stopping.abort()
  await settle()
  const during = lease.holder()
  finish.resolve()
  await running

  t.equal(during, 'a')
  t.equal(lease.holder(), '')
  t.strictSame(changes, [true, false])
})

t.test('work that fails ends the election with its fault, the lease handed back', async (t) => {
  const lease = new MemoryLease()
  const elector = new Elector({
    lease,
    identity: 'a',
    clock: new FakeClock(),
    random: () => 0,
    log: new MemoryLog()
  })

  await t.rejects(
    elector.run(new AbortController().signal, () => Promise.reject(new TypeError('planted'))),
    { message: 'planted' }
  )
  t.equal(lease.holder(), '')
})

t.test('a lease that cannot be handed back runs out by itself', async (t) => {
  const lease = new MemoryLease()
  const clock = new FakeClock()
  const a = candidate(t, 'a', { lease, clock })
  await settle()

  lease.unreachable = true
  await a.stop()

  t.equal(lease.holder(), 'a')
  t.ok(a.log.lines.some(({ message }) => message === 'lease not handed back'))
})

t.test('a last word is said on the way out, while the lease is held and after the work', async (t) => {
  const lease = new MemoryLease()
  const clock = new FakeClock()
  const stopping = new AbortController()
  const said: string[] = []
  const elector = new Elector({ lease, identity: 'a', clock, random: () => 0, log: new MemoryLog() })
  const running = elector.run(
    stopping.signal,
    async (signal) => {
      await clock.sleep(1_000_000, signal)
      said.push('work ended')
    },
    async (signal) => {
      const stored = await lease.read()
      said.push(`farewell, lease of ${stored?.record.holder}, aborted ${signal.aborted}`)
      throw new TypeError('planted')
    }
  )
  await settle()

  stopping.abort()
  await running

  t.strictSame(said, ['work ended', 'farewell, lease of a, aborted false'])
  t.equal((await lease.read())?.record.holder, '')
})

t.test('who lost the lease says nothing any more', async (t) => {
  const lease = new MemoryLease()
  const clock = new FakeClock()
  const stopping = new AbortController()
  let said = 0
  const elector = new Elector({ lease, identity: 'a', clock, random: () => 0, log: new MemoryLog() })
  const running = elector.run(
    stopping.signal,
    (signal) => clock.sleep(1_000_000, signal),
    async () => {
      said += 1
    }
  )
  await settle()
  lease.unreachable = true
  await pass(clock, 12_000)
  stopping.abort()
  await running

  t.equal(said, 0)
})
