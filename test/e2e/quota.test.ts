import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringMapOf, stringOf } from '../../src/core/json.ts'
import { bodyOf } from '../bed/api-client.ts'
import { bedTest, type OnBed } from '../bed/bed-test.ts'
import { createNamespace } from '../bed/namespace.ts'
import type { Bed } from '../bed/start-bed.ts'
import { until } from '../bed/until.ts'
import { aRawLimitRange, aRawQuota } from '../build/quota.ts'
import { barePod, job, ownedByReplicaSet, policy, workload } from './objects.ts'
import { create, findPods, startProduct, untilHeard, writeHistory } from './product.ts'

const GPU = 'nvidia.com/gpu'
const SMALL = 'nvidia.com/mig-1g.10gb'
const LARGE = 'nvidia.com/mig-2g.20gb'
const namespaces = ['readd', 'demand', 'burst', 'escape', 'queued']

/** What the pods of `app` in a namespace ask for, and why; once there are `count` of them. */
async function podsOf(bed: Bed, namespace: string, app: string, count: number): Promise<readonly string[]> {
  const pods = await until(`${count} pods of ${app}`, async () => {
    const found = await findPods(bed, namespace, `app=${app}`)
    return found.length >= count && found
  })
  return pods.map((pod) => `${asked(pod)} ${reasonOf(pod)}`).sort()
}

function asked(pod: unknown): string {
  const [container] = listOf(fieldOf(pod, 'spec'), 'containers')
  const map = stringMapOf(fieldOf(container, 'resources'), 'limits')
  return Object.keys(map)
    .filter((key) => key.startsWith('nvidia.com/'))
    .map((key) => `${key}=${map[key]}`)
    .join(' ')
}

function reasonOf(pod: unknown): string {
  return stringOf(fieldAt(pod, 'metadata', 'annotations'), 'rightslice.dev/decision') ?? 'none'
}

/** Creates an object as a tenant's client does, and waits until the quota of it was counted for the first time. */
async function putQuota(bed: Bed, quota: JsonRecord, namespace: string): Promise<void> {
  await create(bed, { ...quota, metadata: { name: fieldAt(quota, 'metadata', 'name') } }, namespace)
  const path = `/api/v1/namespaces/${namespace}/resourcequotas/${String(fieldAt(quota, 'metadata', 'name'))}`
  await until('the quota was counted', async () => {
    const body = bodyOf(await bed.request('GET', path), 'get quota')
    return fieldAt(body, 'status', 'used') !== undefined
  })
}

async function suggestQuota(bed: Bed): Promise<string> {
  const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
  const args = [cli, 'check', '--suggest-quota', '--kubeconfig', bed.adminKubeconfig]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return printed
}

bedTest(t, 'quotas and LimitRanges of a real API server', async (t, on) => {
  const { bed } = on
  await prepare(t, on)

  await t.test(
    '[QUOTA11] LimitRange re-add: a default on whole GPUs does not come back beside a share',
    async (t) => {
      await create(
        bed,
        withoutNamespace(aRawLimitRange([{ type: 'Container', default: { [GPU]: '1' } }])),
        'readd'
      )
      await create(bed, workload('Deployment', 'web'), 'readd')

      t.strictSame(await podsOf(bed, 'readd', 'web', 1), [`${SMALL}=1 FitsMigProfile`])
    }
  )

  await t.test('[QUOTA10] a LimitRange that demands whole GPUs lets the pod in with one', async (t) => {
    await create(
      bed,
      withoutNamespace(aRawLimitRange([{ type: 'Container', max: { [GPU]: '1' } }])),
      'demand'
    )
    await untilHeard(bed, {
      namespace: 'demand',
      reason: 'LimitRangeWouldBlock',
      pod: ownedByReplicaSet(barePod('probe'))
    })
    await create(bed, workload('Deployment', 'web'), 'demand')

    t.strictSame(await podsOf(bed, 'demand', 'web', 1), [`${GPU}=1 LimitRangeWouldBlock`])
  })

  await t.test(
    '[QUOTA8] quota by name: a burst gets what the quotas take, and nobody is refused',
    async (t) => {
      const counts = {
        [`requests.${GPU}`]: ['9', '0'],
        [`requests.${SMALL}`]: ['2', '0'],
        [`requests.${LARGE}`]: ['1', '0']
      } as const
      await putQuota(bed, withoutStatus(aRawQuota({ counts })), 'burst')
      const web = workload('Deployment', 'web')
      await create(bed, { ...web, spec: { ...Object(web.spec), replicas: 5 } }, 'burst')

      t.strictSame(await podsOf(bed, 'burst', 'web', 5), [
        `${GPU}=1 QuotaWouldBlock`,
        `${GPU}=1 QuotaWouldBlock`,
        `${SMALL}=1 FitsMigProfile`,
        `${SMALL}=1 FitsMigProfile`,
        `${LARGE}=1 FitsMigProfile`
      ])
      const { stdout } = await bed.kubectl([
        'get',
        'events',
        '-n',
        'burst',
        '-o',
        'name',
        '--field-selector=reason=FailedCreate'
      ])
      t.equal(stdout, '', 'no pod was refused')
    }
  )

  await t.test(
    '[QUOTA9] a share does not escape the quota, until what check suggests is applied',
    async (t) => {
      await putQuota(bed, withoutStatus(aRawQuota()), 'escape')
      await untilHeard(bed, {
        namespace: 'escape',
        reason: 'QuotaEscape',
        pod: ownedByReplicaSet(barePod('probe'))
      })

      const yaml = await suggestQuota(bed)
      const applied = await bed.kubectl(['apply', '-f', '-'], { input: yaml })

      t.equal(applied.code, 0, applied.stderr)
      t.match(applied.stdout, /^resourcequota\/gpu-shares created$/m)
      await untilHeard(bed, {
        namespace: 'escape',
        reason: 'FitsMigProfile',
        pod: ownedByReplicaSet(barePod('probe'))
      })
      await create(bed, workload('Deployment', 'web'), 'escape')
      t.strictSame(await podsOf(bed, 'escape', 'web', 1), [`${SMALL}=1 FitsMigProfile`])
      t.match(await suggestQuota(bed), /^# Nothing to add/)
    }
  )

  await t.test(
    '[DEC11] the pod of a Job that Kueue holds keeps its GPU, though only the Job says so',
    async (t) => {
      const batch = job('train')
      const labels = { 'kueue.x-k8s.io/queue-name': 'all' }
      await create(bed, { ...batch, metadata: { ...Object(batch.metadata), labels } }, 'queued')

      t.strictSame(await podsOf(bed, 'queued', 'train', 1), [`${GPU}=1 QueuedByKueue`])
    }
  )
})

function withoutNamespace(object: JsonRecord): JsonRecord {
  return { ...object, metadata: { name: fieldAt(object, 'metadata', 'name') } }
}

function withoutStatus({ status: _status, ...object }: JsonRecord): JsonRecord {
  return object
}

async function prepare(t: Test, { bed, simulator }: OnBed): Promise<void> {
  await simulator.addNode({
    name: 'mig',
    product: 'H100-80',
    layout: { kind: 'mig-mixed', gpus: 4, profiles: { '1g.10gb': 7, '2g.20gb': 3 }, whole: 2 }
  })
  const product = await startProduct(bed)
  t.teardown(() => product.stop())
  for (const name of namespaces)
    await createNamespace(bed, name, { labels: { 'rightslice.dev/rightsize': 'enforce' } })
  await create(bed, policy('everyone', { mig: { headroom: '20%' } }))
  for (const namespace of namespaces) {
    await writeHistory(bed, { namespace, kind: 'Deployment', name: 'web', peakMemory: '7Gi' })
    await writeHistory(bed, { namespace, kind: 'Job', name: 'train', peakMemory: '7Gi' })
    await untilHeard(bed, { namespace, reason: 'FitsMigProfile', pod: ownedByReplicaSet(barePod('probe')) })
  }
}
