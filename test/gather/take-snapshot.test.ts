import t from 'tap'
import { storesOf } from '../../src/gather/snapshot.ts'
import { takeSnapshot } from '../../src/gather/take-snapshot.ts'
import type { ListedKind } from '../../src/ports/cluster-lister.ts'
import { aMigNode } from '../build/node.ts'
import { aPod } from '../build/pod.ts'
import { aRawPolicy } from '../build/policy.ts'

const node = aMigNode({ product: 'NVIDIA-A100-SXM4-40GB', gpus: 1, profiles: { '1g.5gb': { count: 7 } } })
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true, uid: 'u' }

const cluster: Partial<Record<ListedKind, readonly unknown[]>> = {
  nodes: [{ ...Object(node), status: { ...Object(node).status, images: [{ names: ['x'] }] } }],
  namespaces: [{ metadata: { name: 'team-a', labels: { a: 'b' }, managedFields: [] } }],
  gpupolicies: [aRawPolicy({ name: 'one' })],
  replicasets: [
    { kind: 'ReplicaSet', metadata: { namespace: 'team-a', name: 'web-1', ownerReferences: [owner] } },
    { kind: 'ReplicaSet', metadata: { namespace: 'team-a', name: 'alone' } }
  ],
  pods: [
    aPod({ name: 'gpu', namespace: 'team-a' }),
    aPod({
      name: 'llm',
      namespace: 'team-a',
      containers: [
        {
          args: ['--token=secret', '--gpu-memory-utilization=0.9', '--nnodes=4'],
          env: { WORLD_SIZE: '8', KEY: 'secret' }
        }
      ]
    }),
    aPod({ name: 'cpu', namespace: 'team-a', containers: [{ limits: { cpu: '1' } }] })
  ]
}

const lister = {
  list: async (kind: ListedKind, onObject: (raw: unknown) => void) => {
    for (const raw of cluster[kind] ?? []) onObject(raw)
  }
}

t.test('a snapshot holds what decisions read and nothing else', async (t) => {
  const snapshot = await takeSnapshot(lister)

  t.strictSame(snapshot.namespaces, [{ metadata: { name: 'team-a', labels: { a: 'b' } } }])
  t.equal(snapshot.owners.length, 1, 'an owner without a controller tells nothing')
  t.match(snapshot.pods, [{ metadata: { name: 'gpu' } }, { metadata: { name: 'llm' } }])
  t.match(snapshot.pods[1], { spec: { containers: [{ args: ['--gpu-memory-utilization', '--nnodes=4'] }] } })
  t.notOk(JSON.stringify(snapshot).includes('secret'))
  t.notOk(JSON.stringify(snapshot).includes('images'))
})

t.test('a snapshot can be read again, after a round trip through JSON', async (t) => {
  const stores = storesOf(JSON.parse(JSON.stringify(await takeSnapshot(lister))))

  t.match(stores.nodes.list(), [{ name: Object(node).metadata.name, usable: true }])
  t.match(stores.policies.list(), [{ kind: 'valid', policy: { name: 'one' } }])
  t.match(stores.replicaSets.get('team-a', 'web-1'), { controller: { kind: 'Deployment', name: 'web' } })
})
