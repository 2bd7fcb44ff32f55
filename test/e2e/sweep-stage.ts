import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf } from '../../src/core/json.ts'
import { bodyOf, MERGE_PATCH } from '../bed/api-client.ts'
import type { OnBed } from '../bed/bed-test.ts'
import { createNamespace } from '../bed/namespace.ts'
import type { Bed } from '../bed/start-bed.ts'
import { until } from '../bed/until.ts'
import { barePod, policy, workload } from './objects.ts'
import { create, installBase, writeHistory } from './product.ts'

/** Label by which a namespace opts in. */
export const LEVEL = 'rightslice.dev/rightsize'

/** How long the slowest thing may take, ms. */
export const WAIT_MS = 40_000

/** A volume of the pod, mounted by its container. */
export function mounting(object: JsonRecord, volume: JsonRecord): JsonRecord {
  const podOf = (spec: JsonRecord): JsonRecord => {
    const [container] = listOf(spec, 'containers')
    const volumeMounts = [{ name: 'data', mountPath: '/data' }]
    return {
      ...spec,
      containers: [{ ...Object(container), volumeMounts }],
      volumes: [{ name: 'data', ...volume }]
    }
  }
  const spec = Object(object['spec'])
  if (object['kind'] === 'Pod') return { ...object, spec: podOf(spec) }
  return { ...object, spec: { ...spec, template: { ...spec.template, spec: podOf(spec.template.spec) } } }
}

/** A volume that no tenant may have. */
export const devices = { hostPath: { path: '/dev' } }
const claimed = (claimName: string): JsonRecord => ({ persistentVolumeClaim: { claimName } })

/** A PersistentVolume of a folder of the node, and the claim that is bound to it. */
async function claimFor(bed: Bed, name: string, path: string): Promise<void> {
  const common = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: ''
  }
  await create(bed, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${name}` },
    spec: { ...common, capacity: { storage: '1Gi' }, hostPath: { path } }
  })
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { ...common, resources: { requests: { storage: '1Gi' } }, volumeName: `pv-${name}` }
  }
  await create(bed, claim, 'before')
  const where = `/api/v1/persistentvolumes/pv-${name}`
  await until(`pv-${name} is bound`, async () => {
    const { body } = await bed.request('GET', where)
    return fieldAt(body, 'status', 'phase') === 'Bound'
  })
}

/** A cluster in which nobody answers for us yet: pods come, then labels; or a label, then pods. */
export async function prepare({ bed, simulator }: OnBed): Promise<void> {
  await simulator.addNode({ name: 'gpu-1', product: 'H100-80', layout: { kind: 'whole', gpus: 8 } })
  await installBase(bed)
  await create(bed, policy('standard', {}))
  await createNamespace(bed, 'away', { labels: { [LEVEL]: 'enforce' } })
  const heardMs = Date.now() + 12_000 // whoever comes later cannot have come before the label was heard of
  await createNamespace(bed, 'before', { tenantRole: 'view' })
  await createNamespace(bed, 'told')
  await createNamespace(bed, 'plain')

  await claimFor(bed, 'dev', '/dev')
  await claimFor(bed, 'disk', '/mnt/disk')
  await create(bed, mounting(workload('Deployment', 'legacy'), devices), 'before')
  await create(bed, workload('Deployment', 'honest'), 'before')
  await create(bed, mounting(barePod('claims-dev', { gpus: 0 }), claimed('dev')), 'before')
  await create(bed, mounting(barePod('claims-disk', { gpus: 0 }), claimed('disk')), 'before')
  for (const namespace of ['told', 'plain'])
    await create(bed, mounting(barePod('bad', { gpus: 0 }), devices), namespace)
  await writeHistory(bed, { namespace: 'before', kind: 'Deployment', name: 'legacy', peakMemory: '4Gi' })
  await writeHistory(bed, { namespace: 'before', kind: 'Deployment', name: 'honest', peakMemory: '4Gi' })
  for (const [namespace, value] of Object.entries({ before: 'enforce', told: 'warn' })) {
    const labels = { metadata: { labels: { [LEVEL]: value } } }
    bodyOf(await bed.request('PATCH', `/api/v1/namespaces/${namespace}`, labels, MERGE_PATCH), namespace)
  }
  await until('the label has been heard of', async () => Date.now() > heardMs, 20_000)
  await create(bed, barePod('unreviewed'), 'away')
  await create(bed, mounting(barePod('smuggled', { gpus: 0 }), devices), 'away')
  await until(
    'every pod runs',
    async () => {
      const all = await podsOf(bed)
      return all.length === 8 && all.every((pod) => fieldAt(pod, 'status', 'phase') === 'Running')
    },
    WAIT_MS
  )
}

/** All pods of the cluster. */
async function podsOf(bed: Bed): Promise<readonly JsonRecord[]> {
  const { body } = await bed.request('GET', '/api/v1/pods')
  return listOf(body, 'items').filter(isRecord)
}

/** Everything of the pods that a sweep might touch. */
export async function stateOf(bed: Bed): Promise<readonly unknown[]> {
  return (await podsOf(bed)).map(({ metadata, spec }) => ({
    uid: fieldOf(metadata, 'uid'),
    labels: fieldOf(metadata, 'labels'),
    annotations: fieldOf(metadata, 'annotations'),
    deletion: fieldOf(metadata, 'deletionTimestamp'),
    spec
  }))
}
