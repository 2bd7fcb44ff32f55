import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readPolicyObject } from '../src/controllers/policies/policy-object.ts'
import { Refresh } from '../src/controllers/refresh.ts'
import { readWorkloadObject } from '../src/controllers/workloads/workload-object.ts'
import { fieldAt, isRecord, type JsonRecord, listOf, stringOf } from '../src/core/json.ts'
import { createWriter } from '../src/kube/apply.ts'
import { connectCluster } from '../src/kube/connection.ts'
import { createEventSink } from '../src/kube/events.ts'
import { leaseIn } from '../src/kube/lease.ts'
import { bedTest } from './bed/bed-test.ts'
import { createNamespace } from './bed/namespace.ts'
import type { Bed } from './bed/start-bed.ts'
import { aRawPolicy } from './build/policy.ts'
import { eventSinkContract } from './contract/event-sink.ts'
import { leaseStoreContract } from './contract/lease-store.ts'
import { objectWriterContract } from './contract/object-writer.ts'
import { NOON_MS, Rig } from './controllers/rig.ts'
import { FakeClock } from './fakes/fake-clock.ts'

const group = '/apis/rightslice.dev/v1alpha1'
const lease = { namespace: 'rightslice-system', name: 'rightslice-controller' }
const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${lease.namespace}/leases/${lease.name}`

async function install(bed: Bed): Promise<void> {
  const files = ['namespace.yaml', 'crd.yaml', 'controller-rbac.yaml'].map((file) =>
    fileURLToPath(new URL(`../manifests/base/${file}`, import.meta.url))
  )
  for (const file of files) {
    const { code, stderr } = await bed.kubectl(['apply', '-f', file])
    if (code !== 0) throw new Error(stderr)
  }
  const wait = ['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all']
  const { code, stderr } = await bed.kubectl(wait)
  if (code !== 0) throw new Error(stderr)
  for (const namespace of ['ml', 'search', 'team-a']) await createNamespace(bed, namespace)
}

async function get(bed: Bed, path: string): Promise<JsonRecord | undefined> {
  const { status, body } = await bed.request('GET', path)
  return status === 200 && isRecord(body) ? body : undefined
}

await bedTest(
  t,
  'what the controller writes, on a real API server with its own rights',
  async (t, { bed }) => {
    await install(bed)
    const connection = await connectCluster({ kubeconfig: bed.kubeconfig('controller') })
    t.teardown(() => connection.close())
    const writer = createWriter({ connection, clock: new FakeClock(), random: () => 0.5 })

    await t.test('the contract of a LeaseStore', async (t) => {
      leaseStoreContract(t, async () => {
        await bed.request('DELETE', leasePath)
        return leaseIn(connection, lease)
      })
    })

    await t.test('a Lease of another name is not its own', async (t) => {
      await t.rejects(leaseIn(connection, { ...lease, name: 'other' }).read({ timeoutMs: 5000 }), {
        code: 'KUBE_REFUSED'
      })
    })

    await t.test('the contract of an ObjectWriter', async (t) => {
      objectWriterContract(t, async () => {
        await bed.request('DELETE', `${group}/namespaces/ml/gpuworkloads/deployment-a`)
        return {
          writer,
          read: ({ namespace, name }) => get(bed, `${group}/namespaces/${namespace}/gpuworkloads/${name}`)
        }
      })
    })

    await t.test('the contract of an EventSink', async (t) => {
      eventSinkContract(t, async () =>
        createEventSink(connection, { component: 'rightslice-controller', instance: 'test' })
      )
    })

    await t.test(
      'a whole refresh is stored as it was meant, and the second one writes nothing',
      async (t) => {
        await bed.request('POST', `${group}/gpupolicies`, aRawPolicy())
        const rig = new Rig()
        rig.addPod()
        const policy = readPolicyObject(await get(bed, `${group}/gpupolicies/standard`))
        if (policy === undefined) throw new Error('the policy was not created')
        rig.stores.policies.set('', 'standard', policy)
        const calls: string[] = []
        const refresh = new Refresh({
          source: rig.source,
          stores: rig.stores,
          writer: {
            applySpec: (object, spec, signal) => {
              calls.push(`spec ${object.name}`)
              return writer.applySpec(object, spec, signal)
            },
            applyStatus: (object, status, signal) => {
              calls.push(`status ${object.name}`)
              return writer.applyStatus(object, status, signal)
            },
            remove: (object, signal) => writer.remove(object, signal)
          },
          settings: { systemNamespaces: [], schedulers: ['default-scheduler'] },
          refreshMs: 300_000,
          forgetAfterMs: 86_400_000,
          clock: rig.clock,
          random: () => 0.5,
          log: rig.log,
          metrics: rig.metrics
        })
        const signal = new AbortController().signal

        const first = await refresh.once(signal)
        const stored = await get(bed, `${group}/namespaces/team-a/gpuworkloads/deployment-app`)
        const storedPolicy = readPolicyObject(await get(bed, `${group}/gpupolicies/standard`))
        const object = readWorkloadObject(stored)
        if (object === undefined || storedPolicy === undefined) throw new Error('nothing was stored')
        rig.stores.workloads.set('team-a', object.name, object)
        rig.stores.policies.set('', 'standard', storedPolicy)
        rig.clock.advance(300_000)
        await refresh.once(signal)

        t.match(first, { created: 1, failed: 0 })
        t.strictSame(calls, ['spec deployment-app', 'status deployment-app', 'status standard'])
        t.match(stored, {
          status: {
            policy: 'standard',
            containers: [{ name: 'main', peakMemory: '5200Mi', sizing: [{ heldMiB: 9728 }] }]
          }
        })
        t.match(
          listOf(fieldAt(stored, 'metadata'), 'managedFields').map((entry) => stringOf(entry, 'manager')),
          ['rightslice-controller', 'rightslice-controller']
        )
        t.match(storedPolicy.status, { matchedNodes: 1, candidates: 1 })
        t.equal(rig.clock.nowMs(), NOON_MS + 300_000)
      }
    )

    await t.test('it may not touch what it has no business with', async (t) => {
      const call = { method: 'DELETE', path: '/api/v1/namespaces/team-a/pods/any' } as const
      await t.rejects(connection.request(call), { code: 'KUBE_REFUSED' })
      const spec = { ...call, method: 'GET', path: '/api/v1/namespaces/team-a/secrets' } as const
      await t.rejects(connection.request(spec), { code: 'KUBE_REFUSED' })
    })
  },
  { startScheduler: false, startControllerManager: false }
)
