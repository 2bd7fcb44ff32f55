import t from 'tap'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringOf } from '../../src/core/json.ts'
import { bedTest } from '../bed/bed-test.ts'
import { createNamespace } from '../bed/namespace.ts'
import type { Bed } from '../bed/start-bed.ts'
import { until } from '../bed/until.ts'
import { job, policy, workload } from './objects.ts'
import { create, startController, startProduct } from './product.ts'

const NAMESPACE = 'strict'
const eventsPath = `/api/v1/namespaces/${NAMESPACE}/events`

/** The object with a pod template whose pods see the processes of their node. */
function breaking(object: JsonRecord): JsonRecord {
  const spec = Object(object['spec'])
  const template = { ...spec.template, spec: { ...spec.template.spec, hostPID: true } }
  return { ...object, spec: { ...spec, template } }
}

async function eventsOf(bed: Bed, reason: string): Promise<readonly unknown[]> {
  const { body } = await bed.request('GET', `${eventsPath}?fieldSelector=reason%3D${reason}`)
  return listOf(body, 'items')
}

/** `Deployment/bad: [HostPidWithGpu]`, sorted. */
async function told(bed: Bed): Promise<readonly string[]> {
  const events = await eventsOf(bed, 'GpuPodRejected')
  return events
    .map((event) => {
      const about = fieldOf(event, 'involvedObject')
      const [rule] = (stringOf(event, 'message') ?? '').split(' ')
      return `${stringOf(about, 'kind')}/${stringOf(about, 'name')}: ${rule}`
    })
    .toSorted()
}

await bedTest(t, 'pods that a controller may not make are told on what people wrote', async (t, { bed }) => {
  const product = await startProduct(bed)
  t.teardown(() => product.stop())
  await create(bed, policy('all', {}))
  await createNamespace(bed, NAMESPACE, { labels: { 'rightslice.dev/rightsize': 'enforce' } })
  const controller = await startController(bed, { RIGHTSLICE_USAGE_SOURCE: 'scrape' })
  t.teardown(() => controller.stop('SIGKILL'))

  await create(bed, breaking(workload('Deployment', 'bad')), NAMESPACE)
  await create(bed, breaking(workload('StatefulSet', 'worse')), NAMESPACE)
  await create(bed, breaking(job('once')), NAMESPACE)
  const want = [
    'Deployment/bad: [HostPidWithGpu]',
    'Job/once: [HostPidWithGpu]',
    'StatefulSet/worse: [HostPidWithGpu]'
  ]
  await until('every owner is told', async () => (await told(bed)).length >= want.length)

  t.strictSame(await told(bed), want)
  const onDeployment = (await eventsOf(bed, 'GpuPodRejected')).find(
    (event) => fieldAt(event, 'involvedObject', 'kind') === 'Deployment'
  )
  t.match(onDeployment, {
    type: 'Warning',
    source: { component: 'rightslice-controller' },
    involvedObject: { apiVersion: 'apps/v1', namespace: NAMESPACE, uid: /.+/ },
    message: /^\[HostPidWithGpu\] the pod.+; .+$/
  })

  await until('Kubernetes has tried again', async () =>
    (await eventsOf(bed, 'FailedCreate')).some(
      (event) =>
        fieldAt(event, 'involvedObject', 'kind') === 'ReplicaSet' && Number(fieldOf(event, 'count')) > 3
    )
  )
  await forge(bed, 'Deployment')
  await until('the forged Event is read', async () => (await told(bed)).length > want.length)
  t.strictSame(
    await told(bed),
    [...want, 'Deployment/forged: [NodeNameSet]'].toSorted(),
    'a repeated refusal is told once, a forged one reaches its own namespace alone'
  )
})

/** What anybody can write who may write Events in the namespace. */
async function forge(bed: Bed, kind: string): Promise<void> {
  const event = {
    metadata: { name: 'forged' },
    involvedObject: { apiVersion: 'apps/v1', kind, namespace: NAMESPACE, name: 'forged', uid: 'forged' },
    reason: 'FailedCreate',
    type: 'Warning',
    message: 'admission webhook "isolation.rightslice.dev" denied the request: [NodeNameSet] \u001b[31mforged'
  }
  await bed.request('POST', eventsPath, event)
}
