import t, { type Test } from 'tap'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringOf } from '../../../src/core/json.ts'
import { bodyOf, MERGE_PATCH } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import { PRODUCT_NAMESPACE } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'

/** The shipped manifests on a real API server, with the admission that Kubernetes comes with; no process of ours runs. */

const LEVEL = 'rightslice.dev/rightsize'
const ownPods = `/api/v1/namespaces/${PRODUCT_NAMESPACE}/pods`

/** A pod as restricted namespaces demand it, which asks for a GPU. */
function restrictedPod(name: string): JsonRecord {
  const resources = { limits: { 'nvidia.com/gpu': '1' } }
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ name: 'main', image: 'registry.example/app:1', resources, securityContext }]
    }
  }
}

async function applied(bed: Bed, folder: string): Promise<string> {
  const { code, stdout, stderr } = await bed.kubectl(['apply', '-k', folder])
  if (code !== 0) throw new Error(stderr)
  return stdout + stderr
}

async function created(t: Test, bed: Bed): Promise<void> {
  const podsOf = async (component: string): Promise<number> => {
    const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`)
    const { body } = await bed.request('GET', `${ownPods}?labelSelector=${selector}`)
    return listOf(body, 'items').length
  }
  for (const [component, count] of [
    ['webhook', 3],
    ['controller', 2]
  ] as const) {
    await until(`${count} pods of the ${component}`, async () => (await podsOf(component)) === count)
    t.equal(await podsOf(component), count)
  }
  const { body } = await bed.request('GET', `/api/v1/namespaces/${PRODUCT_NAMESPACE}/events`)
  t.strictSame(
    listOf(body, 'items').filter((event) => stringOf(event, 'reason') === 'FailedCreate'),
    []
  )
}

async function restricted(t: Test, bed: Bed): Promise<void> {
  const careless = { ...restrictedPod('careless'), spec: { containers: [{ name: 'a', image: 'b' }] } }

  const refused = await bed.request('POST', ownPods, careless)

  t.equal(refused.status, 403)
  t.match(stringOf(refused.body, 'message'), 'violates PodSecurity "restricted:latest"')
}

/** Nobody answers for the webhooks, and isolation fails closed. */
async function excluded(t: Test, bed: Bed): Promise<void> {
  await createNamespace(bed, 'team-a', { labels: { [LEVEL]: 'enforce' } })
  const label = { metadata: { labels: { [LEVEL]: 'enforce' } } }
  bodyOf(await bed.request('PATCH', `/api/v1/namespaces/${PRODUCT_NAMESPACE}`, label, MERGE_PATCH), 'label')
  await until('the webhook is asked', async () => {
    const { status, body } = await bed.request('POST', '/api/v1/namespaces/team-a/pods', restrictedPod('gpu'))
    return status === 500 && JSON.stringify(body).includes('isolation.rightslice.dev')
  })

  const own = await bed.request('POST', ownPods, restrictedPod('gpu'))

  t.equal(own.status, 201, stringOf(own.body, 'message') ?? '')
  t.strictSame(own.warnings, [])
}

async function podSecurity(t: Test, { bed }: OnBed): Promise<void> {
  const told = await applied(bed, 'manifests/base')
  t.notMatch(told, /^Warning:/m, 'no warning of the admission')

  await t.test('PSA restricted: pods of both Deployments are created where it is enforced', (t) =>
    created(t, bed)
  )
  await t.test('a pod that is not restricted is refused there', (t) => restricted(t, bed))
  await t.test('our namespace is never asked about, labelled or not, though nobody answers', (t) =>
    excluded(t, bed)
  )
  await t.test('what the API server holds is what was applied', async (t) => {
    const { code, stdout, stderr } = await bed.kubectl(['diff', '-k', 'manifests/base'])
    t.equal(code, 0, stdout + stderr)
  })
  await t.test('the image of both is the one that is named', async (t) => {
    const path = `/apis/apps/v1/namespaces/${PRODUCT_NAMESPACE}/deployments`
    const { body } = await bed.request('GET', path)
    const images = listOf(body, 'items').flatMap((deployment) =>
      listOf(fieldAt(deployment, 'spec', 'template', 'spec'), 'containers').map((one) =>
        fieldOf(one, 'image')
      )
    )
    t.strictSame(images, ['rightslice:0.1.0', 'rightslice:0.1.0'])
  })
}

await bedTest(t, 'the shipped manifests on an API server that enforces restricted pods', podSecurity)
