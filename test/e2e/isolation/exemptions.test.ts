import t, { type Test } from 'tap'
import { fieldAt, fieldOf, type JsonRecord, listOf, stringOf } from '../../../src/core/json.ts'
import { type Answer, bodyOf, MERGE_PATCH, type SendRequest } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { installPolicies, isRefusedBy, untilActing, untilAllowed } from '../backstop/install.ts'
import { policy } from '../objects.ts'
import { create, type Product, startController, startProduct } from '../product.ts'
import { messageOf, podOf, tryPod } from './try-pod.ts'

/** Exemptions and levels, with webhook, controller and policies of the API server together. */

const level = 'rightslice.dev/rightsize'
const group = '/apis/rightslice.dev/v1alpha1'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const GPU = { resources: { limits: { 'nvidia.com/gpu': '1' } } }
const bad = podOf({ ...GPU, securityContext: { privileged: true } })
const tenant = { user: 'tina', groups: ['system:authenticated'] }
const approver = { user: 'mara', groups: ['system:authenticated'] }

/** What is promised: both follow within a minute. */
const MINUTE_MS = 60_000

const exemptions = (namespace: string): string => `${group}/namespaces/${namespace}/gpuexemptions`
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

interface Stage {
  readonly bed: Bed
  readonly product: Product
  readonly asTenant: SendRequest
  readonly asApprover: SendRequest
}

function anExemption(name: string, spec: JsonRecord): JsonRecord {
  return {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuExemption',
    metadata: { name },
    spec: { expires: inHours(24), reason: 'a load test', selector: { matchLabels: { app: 'test' } }, ...spec }
  }
}

async function bindIn(bed: Bed, namespace: string, { user }: typeof tenant, role: string): Promise<void> {
  const binding = {
    metadata: { name: `${user}-${role}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }]
  }
  bodyOf(await bed.request('POST', `${rbac}/namespaces/${namespace}/rolebindings`, binding), role)
}

async function setUp(t: Test, bed: Bed): Promise<Stage> {
  const product = await startProduct(bed)
  t.teardown(() => product.stop('SIGKILL'))
  await installPolicies(bed)
  const controller = await startController(bed, {})
  t.teardown(() => controller.stop('SIGKILL'))
  for (const [name, value] of Object.entries({ strict: 'enforce', other: 'enforce', told: 'warn' }))
    await createNamespace(bed, name, { labels: { [level]: value, team: name } })
  await createNamespace(bed, 'plain')
  for (const role of ['rightslice-edit', 'rightslice-view']) await bindIn(bed, 'strict', tenant, role)
  await bindIn(bed, 'strict', approver, 'rightslice-approver')
  for (const namespace of ['strict', 'other'])
    await untilActing('rightslice-isolation', () => tryPod(bed, namespace, bad))
  const asTenant = bed.as(tenant)
  const asApprover = bed.as(approver)
  await untilAllowed(asTenant, {
    verb: 'create',
    group: 'rightslice.dev',
    resource: 'gpuexemptions',
    namespace: 'strict'
  })
  return { bed, product, asTenant, asApprover }
}

const tested = (pod: JsonRecord): JsonRecord => ({
  ...pod,
  metadata: { name: 'some', labels: { app: 'test' } }
})

/** Waits until a pod is let in or refused, and says how long that took. */
async function takes(t: Test, what: string, holds: () => Promise<boolean>): Promise<void> {
  const startMs = Date.now()
  await until(what, holds, MINUTE_MS)
  t.comment(`${what}: after ${((Date.now() - startMs) / 1000).toFixed(1)} s`)
}

async function granted(t: Test, { bed, asTenant, asApprover }: Stage): Promise<void> {
  const path = `${exemptions('strict')}/test`
  const generation = async (): Promise<unknown> =>
    fieldAt((await bed.request('GET', path)).body, 'metadata', 'generation')
  const approve = async (as: SendRequest, by: string, read?: unknown): Promise<Answer> => {
    const approval = { decision: 'Approved', by, generation: read ?? (await generation()) }
    return await as('PATCH', path, { spec: { approval } }, MERGE_PATCH)
  }
  const wanted = anExemption('test', { rules: ['PrivilegedWithGpu'] })
  const approved = anExemption('own', {
    rules: ['NodeNameSet'],
    approval: { decision: 'Approved', by: 'tina' }
  })
  await untilActing('rightslice-exemptions', () =>
    asTenant('POST', `${exemptions('strict')}?dryRun=All`, approved)
  )

  t.equal((await asTenant('POST', exemptions('strict'), wanted)).status, 201, 'a tenant may ask')
  const own = await approve(asTenant, 'tina')
  t.ok(isRefusedBy('rightslice-exemptions', own), 'and may not approve')
  t.match(messageOf(own), /needs the verb approve on gpuexemptions.rightslice.dev in namespace strict/)
  t.ok(
    isRefusedBy('rightslice-exemptions', await approve(asTenant, 'mara')),
    'not in the name of others either'
  )
  t.equal((await tryPod(bed, 'strict', tested(bad))).status, 403, 'nothing is lifted before approval')
  const foreign = await approve(asApprover, 'somebody')
  t.match(messageOf(foreign), /spec.approval.by must be your own name, mara/)
  const stale = await approve(asApprover, 'mara', 99)
  t.match(messageOf(stale), /spec.approval.generation must be that of the exemption as it is now, 1/)
  t.equal((await approve(asApprover, 'mara')).status, 200)

  await takes(
    t,
    'the approved pod is let in',
    async () => (await tryPod(bed, 'strict', tested(bad))).status === 201
  )
  const { warnings } = await tryPod(bed, 'strict', tested(bad))
  t.match(warnings.join('\n'), '[PrivilegedWithGpu] is lifted by GpuExemption "test"')
  t.equal((await tryPod(bed, 'strict', bad)).status, 403, 'another pod')
  t.equal((await tryPod(bed, 'other', tested(bad))).status, 403, 'another namespace')
  const two = tested(
    podOf({
      ...GPU,
      securityContext: { privileged: true },
      env: [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }]
    })
  )
  t.match(messageOf(await tryPod(bed, 'strict', two)), '[VisibleDevicesOverride]', 'another rule')

  const longer = await asTenant('PATCH', path, { spec: { expires: inHours(48) } }, MERGE_PATCH)
  t.ok(isRefusedBy('rightslice-exemptions', longer), 'a tenant may not lengthen what was approved')
  t.equal(
    (await asTenant('PATCH', path, { spec: { approval: null } }, MERGE_PATCH)).status,
    200,
    'but give it back'
  )
  await takes(t, 'given back', async () => (await tryPod(bed, 'strict', tested(bad))).status === 403)
  t.equal((await approve(asApprover, 'mara')).status, 200)
  await takes(t, 'approved again', async () => (await tryPod(bed, 'strict', tested(bad))).status === 201)
}

async function ended(t: Test, { bed, asApprover }: Stage): Promise<void> {
  const path = `${exemptions('strict')}/test`
  const says = async (type: string): Promise<string> => {
    const { body } = await bed.request('GET', path)
    const found = listOf(fieldOf(body, 'status'), 'conditions').find(
      (entry) => fieldOf(entry, 'type') === type
    )
    return `${stringOf(found, 'status')} ${stringOf(found, 'reason')}`
  }
  await until('its status', async () => (await says('Active')) === 'True Active')
  t.equal(await says('Approved'), 'True Approved')
  await until('the Event before its end', async () => {
    const { body } = await bed.request('GET', '/api/v1/namespaces/strict/events')
    return listOf(body, 'items').some((event) => stringOf(event, 'reason') === 'ExemptionExpiring')
  })

  const soon = new Date(Date.now() + 3_000).toISOString()
  const { body: read } = await bed.request('GET', path)
  const shorter = { expires: soon, approval: { generation: fieldAt(read, 'metadata', 'generation') } }
  bodyOf(await asApprover('PATCH', path, { spec: shorter }, MERGE_PATCH), 'shorten it')
  await takes(t, 'refused after its end (3 s ahead)', async () => {
    const answer = await tryPod(bed, 'strict', tested(bad))
    return answer.status === 403
  })
  await takes(t, 'the policy of the API server knows', async () =>
    isRefusedBy('rightslice-isolation', await tryPod(bed, 'strict', tested(bad)))
  )
  await takes(t, 'its status', async () => (await says('Active')) === 'False Expired')
}

async function rewriteOnly(t: Test, { bed, asTenant }: Stage): Promise<void> {
  const decision = async (): Promise<string> => {
    const { body } = await tryPod(bed, 'strict', tested(podOf(GPU)))
    return String(fieldAt(body, 'metadata', 'annotations', 'rightslice.dev/decision'))
  }
  t.not(await decision(), 'Exempt')
  const answer = await asTenant('POST', exemptions('strict'), anExemption('whole', { rules: ['Rewrite'] }))
  t.equal(answer.status, 201, 'needs nobody')
  await takes(t, 'the pod keeps its whole GPU', async () => (await decision()) === 'Exempt')
}

async function levels(t: Test, { bed }: Stage): Promise<void> {
  const path = `${group}/gpupolicies/strict-only`
  const outcome = async (namespace: string): Promise<string> => {
    const answer = await tryPod(bed, namespace, bad)
    if (answer.status === 403) return 'refused'
    return answer.warnings.some((line) => line.includes('PrivilegedWithGpu')) ? 'warned' : 'let in'
  }
  const set = async (value: string, want: string): Promise<void> => {
    const spec = { isolationRules: { PrivilegedWithGpu: value } }
    bodyOf(await bed.request('PATCH', path, { spec }, MERGE_PATCH), value)
    await takes(t, `${value}: ${want}`, async () => (await outcome('strict')) === want)
    t.equal(await outcome('other'), 'refused', `${value} in one namespace, unchanged in others`)
  }
  await create(
    bed,
    policy('strict-only', { priority: 5, namespaceSelector: { matchLabels: { team: 'strict' } } })
  )
  await set('Warn', 'warned')
  await set('Off', 'let in')
  await set('Enforce', 'refused')
}

async function stopped(t: Test, { bed, product }: Stage): Promise<void> {
  await product.stop('SIGKILL')

  await takes(t, 'static rules are refused still', async () =>
    isRefusedBy('rightslice-isolation', await tryPod(bed, 'strict', bad))
  )
  const unread = podOf({
    env: [
      { name: 'A', value: 'all' },
      { name: 'NVIDIA_VISIBLE_DEVICES', value: '$(A)' }
    ]
  })
  const closed = await tryPod(bed, 'strict', unread)
  t.ok(closed.status >= 400, 'the others fail closed')
  t.match(messageOf(closed), 'isolation.rightslice.dev')
  t.equal((await tryPod(bed, 'strict', podOf({}))).status, 201, 'no mark, no delay')
  for (const namespace of ['told', 'plain'])
    t.equal((await tryPod(bed, namespace, bad)).status, 201, namespace)
}

async function exempted(t: Test, { bed, simulator }: OnBed): Promise<void> {
  const layout = { kind: 'mig-mixed', gpus: 1, profiles: { '1g.10gb': 7 } } as const
  await simulator.addNode({ name: 'mig', product: 'H100-80', layout })
  const stage = await setUp(t, bed)
  await create(bed, policy('all', {}))
  await t.test('an exemption is asked for, approved, used and given back', (t) => granted(t, stage))
  await t.test('it ends by itself, and is told of before', (t) => ended(t, stage))
  await t.test('keeping a whole GPU needs no approval', (t) => rewriteOnly(t, stage))
  await t.test('webhook and policy follow the levels of one namespace', (t) => levels(t, stage))
  await t.test('with the webhook stopped', (t) => stopped(t, stage))
}

await bedTest(t, 'exemptions and levels on a real API server', exempted, { startScheduler: false })
