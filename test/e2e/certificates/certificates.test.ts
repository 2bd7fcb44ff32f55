import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { authoritySecret, webhookConfigurations } from '../../../src/core/api/names.ts'
import { fieldAt, listOf, stringMapOf, stringOf } from '../../../src/core/json.ts'
import { connectCluster } from '../../../src/kube/connection.ts'
import { secretIn } from '../../../src/kube/secret.ts'
import { webhookTrust } from '../../../src/kube/webhook-trust.ts'
import { authoritiesIn } from '../../../src/tls/authority.ts'
import type { CertificateTimes } from '../../../src/tls/due.ts'
import { issueAuthority } from '../../../src/tls/issue.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { secretStoreContract } from '../../contract/secret-store.ts'
import { trustStoreContract } from '../../contract/trust-store.ts'
import { startBalancer } from '../balancer.ts'
import { policy } from '../objects.ts'
import { create, installBase, installConfigurations, type Product, startManagedWebhook } from '../product.ts'
import { callDirectly, callOn, createPod, publishedBundles, untilPublished } from './load.ts'
import { leapingClock, startReplica } from './replica.ts'

const secretPath = `/api/v1/namespaces/rightslice-system/secrets/${authoritySecret}`
const group = '/apis/admissionregistration.k8s.io/v1'

async function readyz({ healthUrl }: Product): Promise<unknown> {
  return (await fetch(`${healthUrl}/readyz`, { headers: { connection: 'close' } })).json()
}

async function untilReady(product: Product): Promise<void> {
  await until('the webhook is ready', async () => fieldAt(await readyz(product), 'ready') === true)
}

/** The certificate of the authority that signs, as the Secret holds it. */
async function signingAuthority(bed: Bed): Promise<string> {
  const { body } = await bed.request('GET', secretPath)
  return Buffer.from(stringMapOf(body, 'data')['ca.crt'] ?? '', 'base64').toString()
}

async function removeAll(bed: Bed): Promise<void> {
  for (const { plural, name } of webhookConfigurations)
    await bed.request('DELETE', `${group}/${plural}/${name}`)
  await bed.request('DELETE', secretPath)
}

/** The stores keep on the real API server what they promise, with the permissions of the webhook. */
async function contracts(t: Test, bed: Bed): Promise<void> {
  const connection = await connectCluster({ kubeconfig: bed.kubeconfig('webhook') })
  t.teardown(() => connection.close())
  await t.test('a Secret', async (t) => {
    secretStoreContract(t, async () => {
      await bed.request('DELETE', secretPath)
      return secretIn(connection, { namespace: 'rightslice-system', name: authoritySecret })
    })
  })
  await t.test('the bundles', async (t) => {
    trustStoreContract(t, async (_t, { kind, plural, name }, webhooks) => {
      await removeAll(bed)
      await bed.request('POST', `${group}/${plural}`, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind,
        metadata: { name },
        webhooks: webhooks.map((webhook) => ({
          name: webhook,
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Ignore',
          clientConfig: { url: 'https://127.0.0.1:1/' }
        }))
      })
      return webhookTrust(connection)
    })
  })
  await removeAll(bed)
}

async function firstStart(t: Test, bed: Bed): Promise<Product> {
  const product = await startManagedWebhook(bed)
  t.match(await readyz(product), { ready: false, waitingFor: ['caBundle'] }, 'nobody believes it yet')

  await installConfigurations(bed, Number(new URL(product.url).port))
  await untilReady(product)

  const authority = await signingAuthority(bed)
  t.equal(authoritiesIn(authority).length, 1)
  await until(
    'every configuration believes it',
    async () => (await publishedBundles(bed)).join() === authority
  )
  await until('a pod is admitted through it', async () => (await createPod(bed)) === undefined)
  return product
}

/** What the command says, by check: its levels. */
async function checked(bed: Bed): Promise<Readonly<Record<string, readonly string[]>>> {
  const cli = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url))
  const args = [cli, 'check', '-o', 'json', '--kubeconfig', bed.adminKubeconfig]
  const { promise, resolve } = Promise.withResolvers<string>()
  execFile(process.execPath, args, (_error, stdout) => resolve(stdout))
  const levels: Record<string, string[]> = {}
  for (const item of listOf(JSON.parse(await promise), 'items')) {
    const check = stringOf(item, 'check') ?? ''
    levels[check] = [...(levels[check] ?? []), stringOf(item, 'level') ?? '']
  }
  return levels
}

/** What is said of a bed, which has no Deployments and a Service with another port, while the webhook answers. */
const wellOnBed = {
  cluster: ['ok'],
  customResources: ['ok'],
  replicas: ['fail', 'fail'],
  configurations: ['warn', 'warn', 'warn', 'warn', 'warn', 'warn'],
  certificates: ['ok'],
  reach: ['ok'],
  policies: ['ok'],
  namespaces: ['ok']
}

/** What others do to our objects is put right, and pods are judged again. */
async function putRight(t: Test, bed: Bed): Promise<void> {
  const before = await publishedBundles(bed)
  const stranger = await issueAuthority({ notBeforeMs: 0, notAfterMs: Date.now() + 86_400_000 })
  for (const bundle of ['', Buffer.from(stranger.certPem).toString('base64')]) {
    for (const { plural, name } of webhookConfigurations) {
      const { body } = await bed.request('GET', `${group}/${plural}/${name}`)
      const patch = listOf(body, 'webhooks').map((_webhook, index) => ({
        op: bundle === '' ? 'remove' : 'replace',
        path: `/webhooks/${index}/clientConfig/caBundle`,
        ...(bundle === '' ? {} : { value: bundle })
      }))
      const path = `${group}/${plural}/${name}`
      t.equal((await bed.request('PATCH', path, patch, 'application/json-patch+json')).status, 200)
    }
    const startMs = performance.now()
    await until(
      'the bundles are what they were',
      async () => JSON.stringify(await publishedBundles(bed)) === JSON.stringify(before)
    )
    t.ok(performance.now() - startMs < 5000, `put right in ${Math.round(performance.now() - startMs)} ms`)
    await until('pods are judged again', async () => (await createPod(bed)) === undefined)
  }

  await bed.request('DELETE', secretPath)
  await bed.request('DELETE', `${group}/validatingwebhookconfigurations/rightslice-advice`)
  await until('the Secret is back', async () => (await signingAuthority(bed)) === before.join(''), 70_000)
  t.equal(await createPod(bed), undefined)
}

/** A replica that starts again, and one that joins, use what is there. */
async function restart(t: Test, bed: Bed, product: Product): Promise<void> {
  const authority = await signingAuthority(bed)
  await product.stop('SIGKILL')
  await bed.request('DELETE', `${group}/validatingwebhookconfigurations/rightslice-advice`)

  const [one, other] = await Promise.all([startManagedWebhook(bed), startManagedWebhook(bed)])
  t.teardown(() => Promise.all([one.stop('SIGKILL'), other.stop('SIGKILL')]))
  const balancer = await startBalancer([one, other].map(({ url }) => Number(new URL(url).port)))
  t.teardown(() => balancer.close())
  await installConfigurations(bed, balancer.port)
  for (const replica of [one, other]) await untilReady(replica)
  await untilPublished(bed) // a replica may have been ready before the configurations came

  t.equal(await signingAuthority(bed), authority)
  t.strictSame(await publishedBundles(bed), [authority])
  await until('a pod is admitted', async () => (await createPod(bed)) === undefined)
  for (const { url } of [one, other]) t.equal(await callDirectly(bed, Number(new URL(url).port)), undefined)
  for (const replica of [one, other]) t.equal(await replica.stop(), 0)
  t.strictSame(await checked(bed), { ...wellOnBed, reach: ['fail'] }, 'nobody answers any more')
}

/** Lives so short that authorities change several times within a minute. */
const shortTimes: CertificateTimes = {
  authorityMs: 30_000,
  backdateMs: 6_000,
  leafMs: 12_000,
  publishedMs: 3_000,
  lookMs: 500,
  hastyLookMs: 200
}
const LOAD_MS = 60_000

async function rotation(t: Test, bed: Bed): Promise<void> {
  await removeAll(bed)
  const replicas = await Promise.all([
    startReplica(bed, shortTimes),
    startReplica(bed, shortTimes, leapingClock())
  ])
  const balancer = await startBalancer(replicas.map(({ port }) => port))
  t.teardown(async () => {
    await balancer.close()
    for (const replica of replicas) await replica.stop()
  })
  await installConfigurations(bed, balancer.port)
  await until('a pod is admitted', async () => (await createPod(bed)) === undefined)
  await untilPublished(bed)
  const signal = AbortSignal.timeout(LOAD_MS)
  const authorities = new Set<string>()

  const tallies = await Promise.all([
    ...[1, 2, 3].map(() => callOn(signal, () => createPod(bed))),
    ...replicas.map(({ port }) => callOn(signal, () => callDirectly(bed, port))),
    callOn(signal, async () => {
      authorities.add(await signingAuthority(bed))
      await pause(500)
      return undefined
    })
  ])

  const sent = tallies.reduce((sum, tally) => sum + tally.sent, 0)
  t.comment(`${sent} calls over ${authorities.size} authorities`)
  t.strictSame(
    tallies.flatMap(({ failures }) => failures),
    [],
    `no failure in ${sent} calls`
  )
  t.ok(authorities.size >= 3, `${authorities.size} authorities`)
  for (const { log } of replicas) {
    const made = log.lines.filter(({ message }) => message === 'server certificate made')
    t.ok(made.length >= 5, `${made.length} server certificates`)
    const troubles = log.lines.filter(({ level }) => level === 'error' || level === 'warn')
    t.strictSame(
      [...new Set(troubles.map(({ message }) => message))],
      ['webhook configurations are missing'],
      'before they were installed'
    )
  }
  t.ok(authoritiesIn((await publishedBundles(bed)).join('')).length <= 3, 'ended authorities are gone')
}

async function withCertManager(t: Test, bed: Bed): Promise<void> {
  const { stdout, code, stderr } = await bed.kubectl(['kustomize', 'manifests/cert-manager'])
  t.equal(code, 0, stderr)
  const objects = parseAllDocuments(stdout).map((document): unknown => document.toJS())
  const named = (kind: string) =>
    objects.filter(
      (object) =>
        stringOf(object, 'kind') === kind && fieldAt(object, 'metadata', 'name') === 'rightslice-webhook'
    )

  t.notMatch(JSON.stringify(named('ClusterRole')), 'admissionregistration')
  t.equal(listOf(named('ClusterRole')[0], 'rules').length, 6)
  t.strictSame([named('Role'), named('RoleBinding')], [[], []])
  const configurations = objects.filter((object) =>
    String(stringOf(object, 'kind')).endsWith('WebhookConfiguration')
  )
  t.equal(configurations.length, 3)
  for (const object of configurations)
    t.match(object, {
      metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'rightslice-system/rightslice-webhook' } }
    })
  t.match(JSON.stringify(named('Deployment')), '"name":"RIGHTSLICE_CERTIFICATES","value":"files"')
}

async function certificates(t: Test, { bed }: OnBed): Promise<void> {
  await installBase(bed)
  await createNamespace(bed, 'team-a', { labels: { 'rightslice.dev/rightsize': 'enforce' } })
  await create(bed, policy('all', {}))

  await t.test('the stores keep their promises', (t) => contracts(t, bed))
  let product: Product | undefined
  await t.test('a first start makes everything, and only then is it ready', async (t) => {
    product = await firstStart(t, bed)
  })
  const running = product
  if (running === undefined) return
  t.teardown(() => running.stop('SIGKILL'))
  await t.test('one command shows the state', async (t) => {
    t.strictSame(await checked(bed), wellOnBed)
  })
  await t.test('what others spoil is put right', (t) => putRight(t, bed))
  await t.test('two replicas share what is there', (t) => restart(t, bed, running))
  await t.test('rotation with two replicas, zero failures under load, though the clock of one leaps', (t) =>
    rotation(t, bed)
  )
  await t.test('with cert-manager nothing of it is ours', (t) => withCertManager(t, bed))
}

await bedTest(t, 'certificates on a real API server', certificates, { startScheduler: false })
