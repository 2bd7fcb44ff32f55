import { join } from 'node:path'
import t, { type Test } from 'tap'
import { issueAuthority } from '../../../src/tls/issue.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import { until } from '../../bed/until.ts'
import { aClientCertificate } from '../../build/client-certificate.ts'
import { policy } from '../objects.ts'
import { create, installBase, installConfigurations, startManagedWebhook } from '../product.ts'
import { callDirectly, createPod, untilPublished } from './load.ts'

const authority = await issueAuthority({
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000
})
const [apiServer, somePod] = await Promise.all(
  ['kube-apiserver', 'some-pod'].map((name) => aClientCertificate(authority, name))
)

/** How an API server is told to show its certificate to webhooks. @source https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers */
const files = {
  'ca.crt': authority.certPem,
  'client.crt': apiServer?.cert ?? '',
  'client.key': apiServer?.key ?? '',
  'webhooks.kubeconfig': JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    users: [{ name: '*', user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' } }]
  }),
  'admission.yaml': JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'].map((name) => ({
      name,
      configuration: {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'WebhookAdmissionConfiguration',
        kubeConfigFile: join(t.testdirName, 'webhooks.kubeconfig')
      }
    }))
  })
}
const dir = t.testdir(files)

async function onlyApiServers(t: Test, { bed }: OnBed): Promise<void> {
  await installBase(bed)
  await createNamespace(bed, 'team-a', { labels: { 'rightslice.dev/rightsize': 'enforce' } })
  await create(bed, policy('all', {}))
  const product = await startManagedWebhook(bed, {
    RIGHTSLICE_CLIENT_CA_FILE: join(dir, 'ca.crt'),
    RIGHTSLICE_CLIENT_NAMES: 'kube-apiserver'
  })
  t.teardown(() => product.stop('SIGKILL'))
  const port = Number(new URL(product.url).port)
  await installConfigurations(bed, port)

  await until('a pod is admitted through it', async () => (await createPod(bed)) === undefined)
  await untilPublished(bed)
  t.equal(await callDirectly(bed, port, apiServer), undefined)
  await t.rejects(callDirectly(bed, port), 'without a certificate')
  await t.rejects(callDirectly(bed, port, somePod), 'with a certificate of another name')
  t.equal((await fetch(`${product.healthUrl}/healthz`)).status, 200, 'health needs none')
}

await bedTest(t, 'API servers show a certificate, and others cannot call', onlyApiServers, {
  startScheduler: false,
  apiServerArgs: [`--admission-control-config-file=${join(dir, 'admission.yaml')}`]
})
