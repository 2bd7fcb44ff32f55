import t from 'tap'
import type { ClaimTemplate } from '../../src/core/cluster/devices/claim-template.ts'
import type { NodeView } from '../../src/core/cluster/node-view.ts'
import { type OwnerRef, readOwner } from '../../src/core/pod/pod-view.ts'
import type { WorkloadRef } from '../../src/core/pod/workload.ts'
import { type PolicyRead, toEffectivePolicy } from '../../src/core/policy/effective-policy.ts'
import type { Exemption } from '../../src/core/policy/exemption.ts'
import type { LimitRange } from '../../src/core/quota/limit-range.ts'
import type { ResourceQuota } from '../../src/core/quota/resource-quota.ts'
import { readGpuWorkload, recordKey, type WorkloadRecord } from '../../src/core/usage/read-gpu-workload.ts'
import { ClusterState, type NamespaceView, type OwnerView } from '../../src/gather/cluster-state.ts'
import { viewOf } from '../build/input.ts'
import { aMigNode } from '../build/node.ts'
import { aPolicy, aRawPolicy } from '../build/policy.ts'
import { aGpuWorkload, type GpuWorkloadSpec } from '../build/usage.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

function emptyStores() {
  return {
    nodes: new MemoryStore<NodeView>(),
    namespaces: new MemoryStore<NamespaceView>(),
    policies: new MemoryStore<PolicyRead>(),
    workloads: new MemoryStore<WorkloadRecord>(),
    replicaSets: new MemoryStore<OwnerView>(),
    jobs: new MemoryStore<OwnerView>(),
    exemptions: new MemoryStore<Exemption>(),
    quotas: new MemoryStore<ResourceQuota>(),
    limitRanges: new MemoryStore<LimitRange>(),
    claimTemplates: new MemoryStore<ClaimTemplate>()
  }
}

/** A state whose deferred work is done when the test says so. */
function aState(stores = emptyStores()) {
  const tasks: (() => void)[] = []
  const state = new ClusterState(stores, (task) => tasks.push(task))
  const runTasks = (): number => {
    const due = tasks.splice(0)
    for (const task of due) task()
    return due.length
  }
  return { stores, state, runTasks }
}

function addNode({ nodes }: ReturnType<typeof emptyStores>, name: string): void {
  nodes.set('', name, viewOf(aMigNode({ name })))
}

function addWorkload({ workloads }: ReturnType<typeof emptyStores>, spec: GpuWorkloadSpec): void {
  const record = readGpuWorkload(aGpuWorkload(spec))
  if (record === undefined) throw new Error('a test gave no workload')
  workloads.set(record.namespace, record.name, record)
}

const web: WorkloadRef = { kind: 'Deployment', name: 'app' }

function owner(kind: string, name: string): OwnerRef {
  return { apiVersion: '', kind, name, uid: 'u' }
}

t.test('what is in the stores at the start is there at once', async (t) => {
  const stores = emptyStores()
  addNode(stores, 'a')
  stores.policies.set('', 'standard', aPolicy())
  addWorkload(stores, {})

  const { state } = aState(stores)

  t.equal(state.nodeIndex().nodeCount, 1)
  t.strictSame(state.policies(), [aPolicy()])
  t.match(state.usage('team-a', web), { version: '42', containers: [{ container: 'main', peakMiB: 5200 }] })
})

t.test('many changes of nodes lead to one new index, when there is time', async (t) => {
  const { stores, state, runTasks } = aState()
  const before = state.nodeIndex()

  for (const name of ['a', 'b', 'c']) addNode(stores, name)
  stores.nodes.remove('', 'b')

  t.equal(state.nodeIndex(), before)
  t.equal(runTasks(), 1)
  t.equal(state.nodeIndex().nodeCount, 2)
  t.strictSame(
    state.nodeIndex().classes.flatMap(({ nodes }) => nodes.map(({ name }) => name)),
    ['a', 'c']
  )
})

t.test('a change after the work was done leads to new work', async (t) => {
  const { stores, state, runTasks } = aState()

  addNode(stores, 'a')
  runTasks()
  addNode(stores, 'b')

  t.equal(runTasks(), 1)
  t.equal(state.nodeIndex().nodeCount, 2)
  t.equal(runTasks(), 0)
})

t.test('work that is done at once is done', async (t) => {
  const stores = emptyStores()
  const state = new ClusterState(stores, (task) => task())

  addNode(stores, 'a')
  addNode(stores, 'b')

  t.equal(state.nodeIndex().nodeCount, 2)
})

t.test('the index is the same object until nodes change', async (t) => {
  const { stores, state, runTasks } = aState()
  addNode(stores, 'a')
  runTasks()
  const before = state.nodeIndex()

  addWorkload(stores, {})
  stores.policies.set('', 'standard', aPolicy())

  t.equal(runTasks(), 2)
  t.equal(state.nodeIndex(), before)
})

t.test('policies are ordered by name, valid or not', async (t) => {
  const { stores, state, runTasks } = aState()
  const invalid = toEffectivePolicy(aRawPolicy({ name: 'b', mode: 'Sometimes' }))
  const reads = [aPolicy({ name: 'c' }), invalid, aPolicy({ name: 'a' })]

  for (const [index, read] of reads.entries()) stores.policies.set('', `${index}`, read)
  runTasks()

  t.strictSame(
    state.policies().map((read) => [read.kind, read.kind === 'valid' ? read.policy.name : read.name]),
    [
      ['valid', 'a'],
      ['invalid', 'b'],
      ['valid', 'c']
    ]
  )
})

t.test('usage is that of the workload in its own namespace and role', async (t) => {
  const { stores, state, runTasks } = aState()

  addWorkload(stores, { role: 'gpu-group' })
  runTasks()

  t.ok(state.usage('team-a', { ...web, role: 'gpu-group' }))
  t.equal(state.usage('team-a', web), undefined)
  t.equal(state.usage('team-b', { ...web, role: 'gpu-group' }), undefined)
})

for (const names of [
  ['a', 'b'],
  ['b', 'a']
]) {
  t.test(`of two objects about one workload the first name counts: ${names.join(', ')}`, async (t) => {
    const { stores, state, runTasks } = aState()

    for (const name of names) addWorkload(stores, { name, resourceVersion: `of-${name}` })
    runTasks()

    t.equal(state.usage('team-a', web)?.version, 'of-a')
  })
}

t.test('a namespace that is not known has no labels', async (t) => {
  const { stores, state } = aState()
  stores.namespaces.set('', 'team-a', { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'warn' } })

  t.strictSame(state.namespace('team-a').labels, { 'rightslice.dev/rightsize': 'warn' })
  t.strictSame(state.namespace('team-b'), { name: 'team-b', labels: {} })
})

t.test('finds the controller of ReplicaSets and Jobs, each in its namespace', async (t) => {
  const { stores, state } = aState()
  const controller = readOwner({
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true }]
  })
  stores.replicaSets.set('team-a', 'web-1', {
    namespace: 'team-a',
    kind: 'ReplicaSet',
    name: 'web-1',
    controller
  })
  stores.jobs.set('team-a', 'night-1', {
    namespace: 'team-a',
    kind: 'Job',
    name: 'night-1',
    controller: undefined
  })
  stores.jobs.set('team-a', 'js-0', { namespace: 'team-a', kind: 'Job', name: 'js-0', controller })

  t.match(state.controllerOf('team-a', owner('ReplicaSet', 'web-1')), { kind: 'Deployment', name: 'web' })
  t.equal(state.ownerMarkOf('team-a', owner('ReplicaSet', 'web-1')), undefined)
  t.match(state.controllerOf('team-a', owner('Job', 'js-0')), { kind: 'Deployment', name: 'web' })
  t.equal(state.controllerOf('team-a', owner('Job', 'night-1')), undefined)
  t.equal(state.controllerOf('team-a', owner('Job', 'web-1')), undefined)
  t.equal(state.controllerOf('team-b', owner('ReplicaSet', 'web-1')), undefined)
  t.equal(state.controllerOf('team-a', owner('StatefulSet', 'web-1')), undefined)
})

t.test('is synced when every store has read its first list', async (t) => {
  const { stores, state } = aState()

  t.equal(state.synced(), true)
  for (const store of Object.values(stores)) {
    store.setState({ synced: false })
    t.equal(state.synced(), false)
    store.setState({ synced: true })
  }
  t.equal(state.synced(), true)
})

t.test('after the close no change is heard', async (t) => {
  const { stores, state, runTasks } = aState()

  state.close()
  addNode(stores, 'a')
  addWorkload(stores, {})
  stores.policies.set('', 'standard', aPolicy())

  t.equal(runTasks(), 0)
  t.equal(state.nodeIndex().nodeCount, 0)
})

t.test('prints a workload with its namespace', async (t) => {
  t.equal(recordKey('team-a', web), 'team-a/Deployment/app')
})

t.test('it is as old as the kind that was silent for longest', async (t) => {
  const { stores, state } = aState()
  for (const store of Object.values(stores)) store.setState({ lastHeardMs: 2000 })
  stores.exemptions.setState({ lastHeardMs: 1000 })

  t.equal(state.heardMs(), 1000)
})

t.test('[DEC11] Kueue is seen on a Job, and on what made it, where that is known', async (t) => {
  const stores = emptyStores()
  const state = new ClusterState(stores, (task) => task())
  const job = { namespace: 'team-a', kind: 'Job', name: 'night-1', controller: owner('CronJob', 'night') }
  const set = { namespace: 'team-a', kind: 'ReplicaSet', name: 'of-job', controller: owner('Job', 'night-1') }

  stores.jobs.set('team-a', 'night-1', { ...job, mark: 'kueue.x-k8s.io/queue-name' })
  stores.replicaSets.set('team-a', 'of-job', set)

  t.equal(state.ownerMarkOf('team-a', owner('Job', 'night-1')), 'kueue.x-k8s.io/queue-name')
  t.equal(state.ownerMarkOf('team-a', owner('ReplicaSet', 'of-job')), 'kueue.x-k8s.io/queue-name')
  t.equal(state.ownerMarkOf('team-b', owner('Job', 'night-1')), undefined)
  t.equal(state.ownerMarkOf('team-a', owner('RayCluster', 'night-1')), undefined)
  t.equal(state.ownerMarkOf('team-a', undefined), undefined)
})
