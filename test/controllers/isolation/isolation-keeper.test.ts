import t from 'tap'
import { readExemptionObject } from '../../../src/controllers/exemptions/exemption-object.ts'
import { IsolationKeeper } from '../../../src/controllers/isolation/isolation-keeper.ts'
import { aRawExemption } from '../../build/exemption.ts'
import { NOW_MS } from '../../build/input.ts'
import { aRawPolicy } from '../../build/policy.ts'
import { MemoryEvents } from '../../fakes/memory-events.ts'
import { Rig } from '../rig.ts'

type Table = Readonly<Record<string, string>>

function aKeeper() {
  const rig = new Rig()
  const sink = new MemoryEvents()
  const tables: Table[] = []
  let fault: Error | undefined
  const keeper = new IsolationKeeper({
    stores: rig.stores,
    rules: {
      write: (table) => {
        if (fault !== undefined) return Promise.reject(fault)
        tables.push(table)
        return Promise.resolve()
      }
    },
    writer: rig.writer,
    sink,
    systemNamespaces: ['kube-*'],
    clock: rig.clock,
    log: rig.log,
    metrics: rig.metrics
  })
  const exempt = (spec = {}): void => {
    const exemption = readExemptionObject(aRawExemption({ ...rule, ...spec }))
    if (exemption === undefined) throw new Error('the exemption of the test cannot be read')
    rig.writer.put({ kind: 'GpuExemption', namespace: 'team-a', name: 'load-test' }, {})
    rig.stores.exemptions.set('team-a', 'load-test', exemption)
  }
  return { rig, sink, tables, keeper, exempt, fail: (error: Error | undefined) => (fault = error) }
}

const never = new AbortController().signal

async function both(keeper: IsolationKeeper): Promise<void> {
  await keeper.writeTable(never)
  await keeper.tellExemptions(never)
}

const rule = { rules: ['NodeNameSet'], approval: { decision: 'Approved', by: 'mara' } }

t.test('a round writes table, statuses and the Event of an end, once', async (t) => {
  const { rig, sink, tables, keeper, exempt } = aKeeper()
  rig.clock.advance(NOW_MS - rig.clock.nowMs())
  exempt()
  const statusCalls = (): number =>
    rig.writer.calls.filter((call) => call.startsWith('status GpuExemption')).length

  await both(keeper)
  await both(keeper)

  t.equal(tables.length, 2, 'the table is written every time, so that it comes back')
  t.match(tables[0], { 'exempt.team-a.NodeNameSet': 'Deployment/app' })
  t.match(rig.writer.read({ kind: 'GpuExemption', namespace: 'team-a', name: 'load-test' }), {
    status: {
      conditions: [
        { type: 'Active', status: 'True' },
        { type: 'Approved', status: 'True' }
      ]
    }
  })
  t.equal(statusCalls(), 2, 'its store does not hear of the status in this test')
  t.equal(sink.told.length, 1)

  rig.clock.advance(2 * 86_400_000)
  await both(keeper)
  t.notOk('exempt.team-a.NodeNameSet' in (tables.at(-1) ?? {}), 'gone with the first round after its end')
})

t.test('what fails is told and tried again in the next round', async (t) => {
  const { rig, sink, tables, keeper, exempt, fail } = aKeeper()
  rig.clock.advance(NOW_MS - rig.clock.nowMs())
  exempt()
  fail(new Error('no answer'))
  sink.before = () => {
    throw new Error('no answer either')
  }
  rig.writer.before = () => {
    throw new Error('nor here')
  }

  await both(keeper)
  t.strictSame(tables, [])
  t.strictSame(
    rig.log.lines.map(({ message }) => message),
    ['rule table not written', 'exemption status not written', 'event not written']
  )

  fail(undefined)
  sink.before = undefined
  rig.writer.before = undefined
  await both(keeper)
  t.equal(tables.length, 1)
  t.equal(sink.told.length, 1)
})

t.test('a change is taken up at once, and the rest every 20 seconds', async (t) => {
  const { rig, tables, keeper } = aKeeper()
  const ending = new AbortController()
  const running = keeper.run(ending.signal)
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  }

  await settled()
  t.equal(tables.length, 1)
  rig.clock.advance(19_000)
  await settled()
  t.equal(tables.length, 1)
  rig.clock.advance(1_000)
  await settled()
  t.equal(tables.length, 2)

  rig.addPolicy(aRawPolicy({ isolationRules: { NodeNameSet: 'Off' } }))
  await settled()
  rig.clock.advance(1_000)
  await settled()
  t.equal(tables.at(-1)?.['policy.standard.NodeNameSet'], 'Off')

  ending.abort()
  rig.clock.advance(20_000)
  await running
})
