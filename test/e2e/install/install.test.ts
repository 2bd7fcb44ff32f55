import t, { type Test } from 'tap'
import { authoritySecret } from '../../../src/core/api/names.ts'
import { fieldOf, listOf } from '../../../src/core/json.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import { PRODUCT_NAMESPACE } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { publishedBundles, untilPublished } from '../certificates/load.ts'
import { rightslice } from '../history-steps.ts'
import { policy } from '../objects.ts'
import { create, type Product, startController, startManagedWebhook } from '../product.ts'
import { inventory } from './inventory.ts'
import { manifests, objectsOf } from './rendered.ts'

/** `rightslice manifests` and `rightslice uninstall --plan` with a real kubectl and a real API server. */

/** The overlays for kustomize say the same as the values. */
async function sameAsKustomize(t: Test, bed: Bed): Promise<void> {
  for (const [folder, pairs] of [
    ['manifests/base', []],
    ['manifests/cert-manager', ['certificates=cert-manager']],
    ['manifests/pod-monitor', ['podMonitor=true']]
  ] as const) {
    const { code, stdout, stderr } = await bed.kubectl(['kustomize', folder])
    t.equal(code, 0, stderr)
    t.strictSame(objectsOf(await manifests(...pairs)), objectsOf(stdout), folder)
  }
}

async function apply(bed: Bed, input: string): Promise<void> {
  const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], { input })
  if (code !== 0 || stderr !== '') throw new Error(stderr)
}

interface Running {
  readonly webhook: Product
  readonly controller: Product
}

/** The processes that the Deployments stand for; they make a Secret, a Lease, and what is known of workloads. */
async function installed(t: Test, bed: Bed): Promise<Running> {
  await apply(bed, await manifests())
  const webhook = await startManagedWebhook(bed)
  t.teardown(() => webhook.stop('SIGKILL'))
  await untilPublished(bed)
  await create(bed, policy('standard', {})) // before the controller, which looks at policies every five minutes
  const controller = await startController(bed, { RIGHTSLICE_PROMETHEUS_URL: 'http://127.0.0.1:1' })
  t.teardown(() => controller.stop('SIGKILL'))
  const path = '/apis/rightslice.dev/v1alpha1/gpupolicies/standard'
  await until('the controller works', async () => {
    const { body } = await bed.request('GET', path)
    return listOf(fieldOf(body, 'status'), 'conditions').length > 0
  })
  return { webhook, controller }
}

/** Names of the objects that applying would change. */
async function changedBy(bed: Bed, input: string): Promise<readonly string[]> {
  const { stdout } = await bed.kubectl(['diff', '-f', '-'], { input })
  return [...stdout.matchAll(/^diff .*\/([\w.-]+)$/gm)].map(([, name = '']) => name)
}

async function upgraded(t: Test, bed: Bed): Promise<void> {
  const before = await publishedBundles(bed)
  const next = await manifests('image=rightslice:0.2.0', 'webhookReplicas=4', 'settings.logLevel=debug')

  t.strictSame(
    await changedBy(bed, next),
    ['controller', 'webhook'].map((name) => `apps.v1.Deployment.${PRODUCT_NAMESPACE}.rightslice-${name}`)
  )
  await apply(bed, next)

  t.strictSame(await publishedBundles(bed), before, 'who is believed stays')
  t.strictSame(await changedBy(bed, next), [])
  await apply(bed, await manifests())
  t.strictSame(await changedBy(bed, await manifests()), [], 'and back')
}

async function uninstalled(t: Test, bed: Bed, { webhook, controller }: Running): Promise<void> {
  const { code, stdout } = await rightslice('uninstall', '--plan')
  t.equal(code, 0)
  const lines = stdout.split('\n').filter((line) => line.startsWith('kubectl '))
  t.ok(lines.length > 6)
  for (const line of lines) {
    const done = await bed.kubectl(line.split(' ').slice(1))
    t.equal(done.code, 0, done.stderr)
  }
  t.equal(await webhook.stop(), 0)
  t.equal(await controller.stop(), 0)
}

async function install(t: Test, { bed }: OnBed): Promise<void> {
  await t.test('kustomize renders the same', (t) => sameAsKustomize(t, bed))
  await createNamespace(bed, 'team-a')
  const before = await inventory(bed)
  let running: Running | undefined
  await t.test('one file installs everything, and the processes work', async () => {
    running = await installed(t, bed)
  })
  if (running === undefined) return
  const parts = running
  const during = await inventory(bed)
  for (const name of [authoritySecret, 'rightslice-rules', 'standard', 'zz-rightslice'])
    t.ok(
      during.some((line) => line.endsWith(` ${name}`)),
      name
    )
  await t.test('an upgrade changes both Deployments and nothing else', (t) => upgraded(t, bed))
  const label = 'rightslice.dev/rightsize=warn'
  const labelled = await bed.kubectl(['label', 'namespace', 'team-a', label])
  t.equal(labelled.code, 0, labelled.stderr)
  await t.test('every command of the uninstall succeeds in its order', (t) => uninstalled(t, bed, parts))
  await t.test('uninstall leaves nothing', async (t) => t.strictSame(await inventory(bed), before))
  await t.test('and it can be done twice', async (t) => {
    const { stdout } = await rightslice('uninstall', '--plan')
    const lines = stdout.split('\n').filter((line) => line.startsWith('kubectl delete'))
    for (const line of lines) t.equal((await bed.kubectl(line.split(' ').slice(1))).code, 0, line)
  })
}

await bedTest(t, 'install, upgrade and uninstall by kubectl', install)
