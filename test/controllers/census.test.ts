import t from 'tap'
import { censusTaker } from '../../src/controllers/census.ts'
import { aRawPolicy } from '../build/policy.ts'
import { aPodRecord, Rig } from './rig.ts'

const marks = (share: string) => ({
  labels: { 'rightslice.dev/slice': share },
  annotations: { 'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}' }
})

function takerOf({ stores, clock }: Rig) {
  const systemNamespaces = ['kube-system', 'gke-managed-*']
  return censusTaker({ stores, systemNamespaces, nowMs: () => clock.nowMs() })
}

function census(rig: Rig) {
  return takerOf(rig)()
}

t.test('a namespace of the system is counted as one, whatever its label says', async (t) => {
  const rig = new Rig()
  rig.stores.namespaces.remove('', 'team-a')
  const labels = { 'rightslice.dev/rightsize': 'enforce' }
  for (const [name, own] of [
    ['kube-system', labels],
    ['gke-managed-cim', {}],
    ['a', labels],
    ['b', { 'rightslice.dev/rightsize': 'warn' }],
    ['c', {}]
  ] as const) {
    rig.stores.namespaces.set('', name, { name, labels: own })
  }

  t.strictSame(census(rig).namespaces, { enforce: 1, warn: 1, off: 1, system: 2 })
})

t.test('pods with a share are counted by it and by phase until they end', async (t) => {
  const rig = new Rig()
  const pods = [
    { name: 'a', ...marks('mig-1g.10gb') },
    { name: 'b', ...marks('mig-1g.10gb') },
    { name: 'c', ...marks('mig-1g.10gb.me'), status: { phase: 'Pending' } },
    { name: 'd', ...marks('of-somebody-42') },
    { name: 'e', ...marks('shared'), status: { phase: 'Succeeded' } },
    { name: 'f', labels: { 'rightslice.dev/slice': 'shared' } }
  ]
  for (const pod of pods) rig.stores.pods.set('team-a', pod.name, aPodRecord(pod))

  t.strictSame(census(rig).rewritten, [
    { share: 'mig-1g.10gb', phase: 'Running', pods: 2 },
    { share: 'mig-1g.10gb.me', phase: 'Pending', pods: 1 },
    { share: 'other', phase: 'Running', pods: 1 }
  ])
})

t.test('the oldest pod that waits for a node counts, not one that has a node', async (t) => {
  const rig = new Rig()
  const status = { phase: 'Pending' }
  const waiting = { ...marks('shared'), status, nodeName: '' }
  const none = census(rig).longestPendingSeconds
  const pods = [
    { name: 'a', ...waiting, ageMs: 60_000 },
    { name: 'b', ...waiting, ageMs: 90_000 },
    { name: 'c', ...marks('shared'), status, ageMs: 900_000 }
  ]
  for (const pod of pods) rig.stores.pods.set('team-a', pod.name, aPodRecord(pod))

  t.equal(none, 0)
  t.equal(census(rig).longestPendingSeconds, 90)
})

t.test('a window is told of policies that can be read and name one', async (t) => {
  const rig = new Rig()
  rig.addPolicy(aRawPolicy({ name: 'open', window: 'Fri 11:00-13:00 UTC' }))
  rig.addPolicy(aRawPolicy({ name: 'shut', window: 'Sat 02:00-06:00 UTC' }))
  rig.addPolicy(aRawPolicy({ name: 'wrong', window: 'Sat 02:00-06:00 UTC', mode: 'Sometimes' }))

  t.strictSame(
    census(rig).openWindows,
    new Map([
      ['open', true],
      ['shut', false]
    ])
  )
})

t.test('a window opens and shuts while one taker goes on', async (t) => {
  const rig = new Rig()
  rig.addPolicy(aRawPolicy({ window: 'Fri 13:00-15:00 UTC' }))
  const take = takerOf(rig)

  const seen = [0, 59, 1, 119, 1].map((minutes) => {
    rig.clock.advance(minutes * 60_000)
    return take().openWindows.get('standard')
  })

  t.strictSame(seen, [false, false, true, true, false])
})

t.test('a window that never opens is shut', async (t) => {
  const rig = new Rig()
  const windows = [
    { kind: 'Allow', schedule: '0 2 * * 6', duration: '4h', timeZone: 'UTC' },
    { kind: 'Deny', schedule: '0 0 * * *', duration: '24h', timeZone: 'UTC' }
  ]
  rig.addPolicy(aRawPolicy({ windows }))

  t.strictSame(census(rig).openWindows, new Map([['standard', false]]))
})
