import t from 'tap'
import type { ClaimTemplate } from '../../src/core/cluster/devices/claim-template.ts'
import type { NodeView } from '../../src/core/cluster/node-view.ts'
import { decide } from '../../src/core/decision/decide.ts'
import type { PolicyRead } from '../../src/core/policy/effective-policy.ts'
import type { Exemption } from '../../src/core/policy/exemption.ts'
import type { LimitRange } from '../../src/core/quota/limit-range.ts'
import type { ResourceQuota } from '../../src/core/quota/resource-quota.ts'
import { readGpuWorkload, type WorkloadRecord } from '../../src/core/usage/read-gpu-workload.ts'
import { ClusterState, type NamespaceView, type OwnerView } from '../../src/gather/cluster-state.ts'
import { gatherDecisionInput, type PodArrival } from '../../src/gather/decision-input.ts'
import { someSettings, viewOf } from '../build/input.ts'
import { aMigNode } from '../build/node.ts'
import { aPod, type PodSpec } from '../build/pod.ts'
import { aPolicy } from '../build/policy.ts'
import { aGpuWorkload } from '../build/usage.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

/** A cluster with one MIG node, one policy, one opted-in namespace and the history of Deployment app. */
function aState(): ClusterState {
  const stores = {
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
  const labels = { 'rightslice.dev/rightsize': 'enforce' }
  const record = readGpuWorkload(aGpuWorkload())
  stores.nodes.set('', 'node-1', viewOf(aMigNode()))
  stores.namespaces.set('', 'team-a', { name: 'team-a', labels })
  stores.policies.set('', 'standard', aPolicy())
  if (record !== undefined) stores.workloads.set('team-a', record.name, record)
  stores.replicaSets.set('team-a', 'odd', {
    namespace: 'team-a',
    kind: 'ReplicaSet',
    name: 'odd',
    controller: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app', uid: 'd' }
  })
  return new ClusterState(stores, (task) => task())
}

function arrival(pod: PodSpec, rest: Partial<PodArrival> = {}): PodArrival {
  return { operation: 'CREATE', subResource: '', namespace: 'team-a', object: aPod(pod), nowMs: 5, ...rest }
}

t.test('gathers everything that a decision looks at, and a right decision comes of it', async (t) => {
  const state = aState()

  const input = gatherDecisionInput(
    arrival({ owner: { kind: 'ReplicaSet', name: 'odd' } }),
    state,
    someSettings
  )

  t.match(input, {
    operation: 'CREATE',
    subResource: '',
    pod: { namespace: 'team-a', name: 'app-0' },
    namespace: { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'enforce' } },
    workload: { kind: 'Deployment', name: 'app' },
    usage: { version: '42' }
  })
  t.equal(input.settings, someSettings)
  t.equal(input.nodes, state.nodeIndex())
  t.equal(input.policies, state.policies())
  t.match(decide(input), { kind: 'rewrite', reason: 'FitsMigProfile' })
})

t.test('a workload that is not known has no usage, and the pod stays as it is', async (t) => {
  const input = gatherDecisionInput(arrival({ name: 'lab' }), aState(), someSettings)

  t.strictSame(input.workload, { kind: 'Pod', name: 'lab' })
  t.equal(input.usage, undefined)
  t.match(decide(input), { kind: 'keep', reason: 'NoHistory' })
})

t.test('the namespace is that of the request, whatever the object says', async (t) => {
  const input = gatherDecisionInput(
    arrival({ namespace: 'team-a' }, { namespace: 'elsewhere' }),
    aState(),
    someSettings
  )

  t.strictSame(input.namespace, { name: 'elsewhere', labels: {} })
  t.equal(input.pod.namespace, 'elsewhere')
  t.match(decide(input), { reason: 'NamespaceNotOptedIn' })
})

t.test('operation and subresource are passed on', async (t) => {
  const input = gatherDecisionInput(
    arrival({}, { operation: 'UPDATE', subResource: 'ephemeralcontainers' }),
    aState(),
    someSettings
  )

  t.match(decide(input), { reason: 'NotAPodCreation' })
})

t.test('any object gives an input and a decision', async (t) => {
  for (const object of [undefined, null, 'text', [], {}, { spec: { containers: 'none' } }]) {
    const input = gatherDecisionInput(arrival({}, { object }), aState(), someSettings)
    t.match(decide(input), { kind: 'keep', reason: 'NoGpuRequest' })
  }
})
