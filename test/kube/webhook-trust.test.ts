import t from 'tap'
import type { WebhookConfiguration } from '../../src/core/api/names.ts'
import { webhookConfigurations } from '../../src/core/api/names.ts'
import { configurationResource, webhookTrust } from '../../src/kube/webhook-trust.ts'
import { trustStoreContract } from '../contract/trust-store.ts'
import { FakeObjects, failing } from '../fakes/fake-objects.ts'

const { signal } = new AbortController()
const [first] = webhookConfigurations
const root = '/apis/admissionregistration.k8s.io/v1'
const path = `${root}/mutatingwebhookconfigurations/zz-rightslice`

function withConfiguration({ kind, plural, name }: WebhookConfiguration, webhooks: readonly string[]) {
  const objects = new FakeObjects()
  objects.put(`${root}/${plural}/${name}`, {
    kind,
    metadata: { name },
    webhooks: webhooks.map((webhook) => ({ name: webhook, clientConfig: { service: { name: 'a' } } }))
  })
  return objects
}

t.test('the contract of a TrustStore', async (t) => {
  trustStoreContract(t, async (_t, configuration, webhooks) =>
    webhookTrust(withConfiguration(configuration, webhooks))
  )
})

t.test('a bundle is applied as one field of ours, and the rest of the webhook stays', async (t) => {
  const objects = withConfiguration(first, ['a'])

  await webhookTrust(objects).write(first, { webhooks: ['a'], bundlePem: 'pem' }, signal)

  t.match(objects.seen[0], {
    method: 'PATCH',
    path,
    query: { fieldManager: 'rightslice-webhook', force: true },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    timeoutMs: 10_000
  })
  t.strictSame(objects.seen[0]?.body, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'zz-rightslice' },
    webhooks: [{ name: 'a', clientConfig: { caBundle: 'cGVt' } }]
  })
  t.match(objects.at(path), { webhooks: [{ clientConfig: { service: { name: 'a' }, caBundle: 'cGVt' } }] })
})

t.test('a refusal other than absence is thrown', async (t) => {
  const objects = withConfiguration(first, ['a'])
  objects.before = failing(() => true, [{ status: 403 }])

  await t.rejects(webhookTrust(objects).read(signal), { code: 'KUBE_REFUSED', status: 403 })
})

t.test('one configuration is watched as a collection of one', async (t) => {
  t.strictSame(configurationResource(first), {
    path: `${root}/mutatingwebhookconfigurations`,
    kind: 'MutatingWebhookConfiguration',
    objectName: 'zz-rightslice'
  })
})
