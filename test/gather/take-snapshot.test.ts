import t from 'tap'
import { readPodRecord } from '../../src/gather/pod-record.ts'
import { storesOf } from '../../src/gather/snapshot.ts'
import { takeSnapshot } from '../../src/gather/take-snapshot.ts'
import type { ListedKind } from '../../src/ports/cluster-lister.ts'
import { aHamiNode, aMigNode } from '../build/node.ts'
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

t.test('a snapshot holds what HAMi has registered, but no id of a GPU', async (t) => {
  const list = async (kind: ListedKind, onObject: (raw: unknown) => void) => {
    if (kind !== 'nodes') return
    onObject(
      aHamiNode({ name: 'a', annotations: { 'example.com/a': 'b', 'hami.io/node-handshake': 'Reported_x' } })
    )
    onObject(aHamiNode({ name: 'gone', annotations: { 'hami.io/node-handshake': 'Deleted_x' } }))
  }

  const snapshot = await takeSnapshot({ list })

  t.match(storesOf(snapshot).nodes.list(), [
    { name: 'a', hami: { slots: 20, split: 10, memoryMiB: 23_034 } },
    { name: 'gone' }
  ])
  t.equal(storesOf(snapshot).nodes.get('', 'gone')?.hami, undefined)
  t.notMatch(JSON.stringify(snapshot), /GPU-|example\.com|Reported/)
})

t.test('a pod whose share is a claim of ours is in it, with that claim alone', async (t) => {
  const own = { name: 'gpu', resourceClaimTemplateName: 'rightslice-1g-10gb' }
  const pod = (claims: readonly unknown[]): unknown =>
    aPod({ spec: { resourceClaims: claims }, containers: [{ limits: {} }] })
  const list = async (kind: ListedKind, onObject: (raw: unknown) => void) => {
    if (kind !== 'pods') return
    onObject(pod([own, { name: 'nic', resourceClaimTemplateName: 'secret-nic' }]))
    onObject(pod([{ name: 'nic', resourceClaimTemplateName: 'secret-nic' }]))
  }

  const { pods } = await takeSnapshot({ list })

  t.equal(pods.length, 1)
  t.strictSame(Object(pods[0]).spec.resourceClaims, [own])
})

t.test('a snapshot can be read again, after a round trip through JSON', async (t) => {
  const stores = storesOf(JSON.parse(JSON.stringify(await takeSnapshot(lister))))

  t.match(stores.nodes.list(), [{ name: Object(node).metadata.name, usable: true }])
  t.match(stores.policies.list(), [{ kind: 'valid', policy: { name: 'one' } }])
  t.match(stores.replicaSets.get('team-a', 'web-1'), { controller: { kind: 'Deployment', name: 'web' } })
})

t.test(
  'it says when pods began and how they ended, and of what they wrote only that GPU memory ran out',
  async (t) => {
    const bornAt = '2026-11-20T12:00:00Z'
    const endedAt = '2026-11-20T13:00:00Z'
    const message = 'secret; torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB'
    const pod = aPod({ name: 'gpu', namespace: 'team-a' })
    const raw = {
      ...pod,
      metadata: { ...Object(pod['metadata']), uid: 'uid-1', creationTimestamp: bornAt },
      status: {
        phase: 'Failed',
        startTime: bornAt,
        podIP: '10.0.0.1',
        containerStatuses: [
          {
            name: 'main',
            state: { terminated: { exitCode: 1, reason: 'Error', message, finishedAt: endedAt } }
          },
          {
            name: 'side',
            lastState: { terminated: { exitCode: 0, message: 'secret', finishedAt: endedAt } }
          },
          { name: 'runs', state: { running: { startedAt: bornAt } } }
        ]
      }
    }
    const snapshot = await takeSnapshot({
      list: async (kind, onObject) => {
        if (kind === 'pods') onObject(raw)
      }
    })

    const [kept] = snapshot.pods
    t.notOk(/secret|podIP|running/.test(JSON.stringify(kept)))
    t.match(readPodRecord(kept), {
      uid: 'uid-1',
      createdMs: Date.parse(bornAt),
      startedMs: Date.parse(bornAt),
      endedMs: Date.parse(endedAt),
      endings: [
        { container: 'main', exitCode: 1, message: 'CUDA out of memory', finishedMs: Date.parse(endedAt) },
        { container: 'side', exitCode: 0, message: '' }
      ]
    })
  }
)

t.test('it says by which rules a share would not hold a pod, without what they were found by', async (t) => {
  const pod = aPod({
    namespace: 'team-a',
    spec: { hostIPC: true, volumes: [{ name: 'v', hostPath: { path: '/dev/nvidia0' } }] }
  })
  const snapshot = await takeSnapshot({
    list: async (kind, onObject) => {
      if (kind === 'pods') onObject(pod)
    }
  })

  const [kept] = snapshot.pods
  t.match(kept, {
    breaks: [
      { rule: 'HostDevicePath', onlyShared: false },
      { rule: 'HostIpcWithSharedGpu', onlyShared: true }
    ]
  })
  t.strictSame(
    readPodRecord(kept)?.defeats.map(({ rule }) => rule),
    readPodRecord(pod)?.defeats.map(({ rule }) => rule)
  )
  t.notMatch(JSON.stringify(kept), '/dev/')
})
