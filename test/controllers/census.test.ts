import t from 'tap'
import { takeCensus } from '../../src/controllers/census.ts'
import { aRawPolicy } from '../build/policy.ts'
import { aPodRecord, NOON_MS, Rig } from './rig.ts'

const marks = (share: string) => ({
  labels: { 'rightslice.dev/slice': share },
  annotations: { 'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}' }
})

function census({ stores }: Rig) {
  return takeCensus({ stores, systemNamespaces: ['kube-system', 'gke-managed-*'], nowMs: NOON_MS })
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
