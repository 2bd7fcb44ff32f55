import t from 'tap'
import { TemplateKeeper } from '../../../src/controllers/claims/template-keeper.ts'
import { readPolicyObject } from '../../../src/controllers/policies/policy-object.ts'
import { type ClaimTemplate, templateName } from '../../../src/core/cluster/devices/claim-template.ts'
import { aClaimTemplate, aDeviceView, h100Parts } from '../../build/devices.ts'
import { aRawPolicy } from '../../build/policy.ts'
import { MemoryStore } from '../../fakes/memory-store.ts'
import { Rig } from '../rig.ts'

const RETIRED_MS = 60_000
const never = new AbortController().signal

/** A namespace that is changed, a node with two profiles, and templates that are kept in memory. */
function aKeeper() {
  const rig = new Rig()
  const claimTemplates = new MemoryStore<ClaimTemplate>()
  const calls: string[] = []
  let fault: Error | undefined
  const note = (what: string): void => {
    if (fault !== undefined) throw fault
    calls.push(what)
  }
  const keeper = new TemplateKeeper({
    stores: { ...rig.stores, claimTemplates },
    writer: {
      apply: async (namespace, asks) => {
        const name = templateName(asks.profile)
        note(`apply ${name}`)
        claimTemplates.set(namespace, name, aClaimTemplate({ namespace, asks }))
      },
      retire: async ({ namespace, name }) => {
        note(`retire ${name}`)
        const there = claimTemplates.get(namespace, name)
        if (there !== undefined) claimTemplates.set(namespace, name, { ...there, retired: true })
      },
      remove: async ({ namespace, name }) => {
        note(`remove ${name}`)
        claimTemplates.remove(namespace, name)
      }
    },
    systemNamespaces: [],
    retiredMs: RETIRED_MS,
    clock: rig.clock,
    log: rig.log
  })
  const { nodes, namespaces, policies } = rig.stores
  const level = (value: string): void =>
    namespaces.set('', 'team-a', { name: 'team-a', labels: { 'rightslice.dev/rightsize': value } })
  level('enforce')
  const own = readPolicyObject(aRawPolicy({ mode: 'Approve', methods: ['dra'] }))
  if (own === undefined) throw new Error('the policy of the test cannot be read')
  policies.set('', own.name, own)
  for (const { name } of nodes.list()) nodes.remove('', name)
  nodes.set('', 'node-1', aDeviceView({ parts: h100Parts.slice(0, 2) }))
  return { rig, keeper, calls, claimTemplates, level, fail: (error: Error | undefined) => (fault = error) }
}

t.test('[SHA47] a round writes what is missing, and the next one nothing', async (t) => {
  const { keeper, calls } = aKeeper()

  await keeper.round(never)
  await keeper.round(never)

  t.strictSame(calls, ['apply rightslice-1g-10gb', 'apply rightslice-2g-20gb'])
})

t.test(
  '[SHA47] what nobody may use any more is retired at once, and removed only after a while',
  async (t) => {
    const { rig, keeper, calls, claimTemplates, level } = aKeeper()
    await keeper.round(never)
    calls.length = 0

    level('warn')
    await keeper.round(never)
    t.strictSame(calls, ['retire rightslice-1g-10gb', 'retire rightslice-2g-20gb'])
    await keeper.round(never)
    rig.clock.advance(RETIRED_MS - 1)
    await keeper.round(never)
    t.equal(claimTemplates.list().length, 2)
    rig.clock.advance(1)
    await keeper.round(never)
    t.strictSame(claimTemplates.list(), [])
  }
)

t.test('[SHA47] one that is wanted again before that comes back', async (t) => {
  const { keeper, claimTemplates, level } = aKeeper()
  await keeper.round(never)
  level('off')
  await keeper.round(never)
  level('enforce')
  await keeper.round(never)

  t.strictSame(
    claimTemplates.list().map(({ retired }) => retired),
    [false, false]
  )
})

t.test('[SHA47] templates of others are never touched, and told of once', async (t) => {
  const { rig, keeper, calls, claimTemplates } = aKeeper()
  const foreign = { ...aClaimTemplate(), managers: ['kubectl'], asks: undefined }
  claimTemplates.set('team-a', foreign.name, foreign)
  claimTemplates.set('team-b', 'rightslice-own', { ...foreign, namespace: 'team-b', name: 'rightslice-own' })

  await keeper.round(never)
  await keeper.round(never)

  t.strictSame(calls, ['apply rightslice-1g-10gb'])
  t.equal(rig.log.lines.filter(({ message }) => message.includes('somebody else')).length, 1)
})

t.test('what fails is told, and tried again in the next round', async (t) => {
  const { rig, keeper, calls, fail } = aKeeper()
  fail(new Error('no'))
  await keeper.round(never)
  t.ok(rig.log.lines.some(({ message }) => message === 'claim template not written'))
  fail(undefined)
  await keeper.round(never)
  t.equal(calls.length, 2)
})

t.test('it keeps until it is ended', async (t) => {
  const { keeper, calls } = aKeeper()
  const ending = new AbortController()
  const running = keeper.run(ending.signal)
  await new Promise((resolve) => setImmediate(resolve))
  ending.abort()
  await running
  t.equal(calls.length, 2)
})
