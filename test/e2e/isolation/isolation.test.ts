import t, { type Test } from 'tap'
import { admissionPolicyNames } from '../../../src/core/api/names.ts'
import { fieldAt, type JsonRecord, listOf, stringOf } from '../../../src/core/json.ts'
import { type Answer, MERGE_PATCH, STRATEGIC_PATCH } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { job, policy, workload } from '../objects.ts'
import { create, type Product, startProduct } from '../product.ts'
import { type Attempt, attempts, debugAttempts } from './attempts.ts'
import { honestPods, infrastructurePods } from './honest-pods.ts'
import { createRuntimeClasses, inTurns, messageOf, podOf, podsIn, tryPod } from './try-pod.ts'

const level = 'rightslice.dev/rightsize'
const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'
const GPU = { resources: { limits: { 'nvidia.com/gpu': '1' } } }
const ours = ({ warnings }: Answer): readonly string[] =>
  warnings.filter((line) => line.startsWith('rightslice:'))

async function setUp(bed: Bed): Promise<Product> {
  const product = await startProduct(bed)
  await createRuntimeClasses(bed)
  // Here the webhook is tried alone; what the API server does by itself has a file of its own.
  for (const level of ['enforce', 'warn'])
    await bed.request('DELETE', `${bindings}/${admissionPolicyNames.isolation}-${level}`)
  await create(bed, policy('all', { isolationRules: { NamedProfileNotAllowed: 'Off' } }))
  for (const [name, value] of Object.entries({ strict: 'enforce', told: 'warn', out: 'off' }))
    await createNamespace(bed, name, { labels: { [level]: value } })
  await createNamespace(bed, 'plain')
  await createNamespace(bed, 'kept', { labels: { [level]: 'enforce' } })
  const bad = podOf({ ...GPU, securityContext: { privileged: true } })
  for (const [namespace, status] of Object.entries({ strict: 403, kept: 403, told: 201 }))
    await until(`isolation acts in ${namespace}`, async () => {
      const answer = await tryPod(bed, namespace, bad)
      return answer.status === status && (status === 403 || ours(answer).some((line) => line.includes('[')))
    })
  return product
}

async function refusedEverywhere(t: Test, bed: Bed): Promise<void> {
  const tries = attempts()
  t.ok(tries.length >= 150, `${tries.length} tries`)
  const isRefused = ({ rule }: Attempt, answer: Answer): boolean =>
    answer.status === 403 && messageOf(answer).includes(`[${rule}]`)
  const isTold = ({ rule }: Attempt, answer: Answer): boolean =>
    answer.status === 201 && ours(answer).some((line) => line.includes(`[${rule}]`))
  const isUntouched = (_attempt: Attempt, answer: Answer): boolean =>
    answer.status === 201 && ours(answer).length === 0
  const wants = { strict: isRefused, told: isTold, out: isUntouched, plain: isUntouched }
  for (const [namespace, isRight] of Object.entries(wants)) {
    const wrong: string[] = []
    await inTurns(tries, async (attempt) => {
      const answer = await tryPod(bed, namespace, attempt.pod)
      if (!isRight(attempt, answer))
        wrong.push(
          `${attempt.says}: ${answer.status} ${messageOf(answer).slice(0, 300)} ${ours(answer).join(' | ')}`
        )
    })
    t.strictSame(wrong, [], `namespace ${namespace}`)
  }
}

async function honestPass(t: Test, bed: Bed): Promise<void> {
  t.ok(
    honestPods.length >= 60 && honestPods.length + infrastructurePods.length >= 100,
    `${honestPods.length} pods`
  )
  const wrong: string[] = []
  await inTurns(honestPods, async ({ says, pod }) => {
    const answer = await tryPod(bed, 'strict', pod)
    if (answer.status !== 201) wrong.push(`${says}: ${answer.status} ${messageOf(answer)}`)
  })
  t.strictSame(wrong, [])
}

/** Agents of the node are let in where they live, labelled or not, and refused in a tenant's namespace. */
async function infrastructure(t: Test, bed: Bed): Promise<void> {
  await createNamespace(bed, 'gpu-operator', { labels: { [level]: 'enforce' } })
  for (const { says, pod, reachesHost } of infrastructurePods) {
    for (const namespace of ['gpu-operator', 'plain']) {
      const answer = await tryPod(bed, namespace, pod)
      t.equal(answer.status, 201, `${says} in ${namespace}: ${messageOf(answer)}`)
    }
    t.equal(
      (await tryPod(bed, 'strict', pod)).status,
      reachesHost ? 403 : 201,
      `${says} in a tenant's namespace`
    )
  }
}

async function debugged(t: Test, bed: Bed): Promise<void> {
  for (const namespace of ['strict', 'told', 'plain']) {
    const object = podOf(GPU, 'debugged')
    const pod = {
      ...object,
      spec: { ...Object(object['spec']), volumes: [{ name: 'scratch', emptyDir: {} }] }
    }
    await create(bed, pod, namespace)
    const path = `${podsIn(namespace)}/debugged/ephemeralcontainers`
    const debug = (container: JsonRecord, query = '?dryRun=All'): Promise<Answer> =>
      bed.request('PATCH', `${path}${query}`, { spec: { ephemeralContainers: [container] } }, STRATEGIC_PATCH)
    for (const { rule, container } of debugAttempts) {
      const answer = await debug(container)
      const told = ours(answer).some((line) => line.includes(`[${rule}]`))
      if (namespace === 'strict') {
        t.equal(answer.status, 403, rule)
        t.match(messageOf(answer), `[${rule}] ephemeral container`)
      } else {
        t.strictSame([answer.status, told], [200, namespace === 'told'], `${namespace} ${rule}`)
      }
    }
    t.equal((await debug({ name: 'shell', image: 'registry.example/tools:1' }, '')).status, 200)
    const metadata = { metadata: { labels: { seen: 'yes' } } }
    t.equal((await bed.request('PATCH', `${podsIn(namespace)}/debugged`, metadata, MERGE_PATCH)).status, 200)
  }
}

async function advised(t: Test, bed: Bed): Promise<void> {
  const deployment = workload('Deployment', 'bad')
  const spec = Object(deployment['spec'])
  const template = { ...spec.template, spec: { ...spec.template.spec, hostPID: true } }
  const object = { ...deployment, spec: { ...spec, template } }
  const path = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments?dryRun=All`

  const strict = await bed.request('POST', path('strict'), object)
  t.equal(strict.status, 201)
  t.match(ours(strict), [/pods will be refused: \[HostPidWithGpu\]/])
  t.match(ours(await bed.request('POST', path('told'), object)), [/rightslice: \[HostPidWithGpu\]/])
  t.strictSame(ours(await bed.request('POST', path('plain'), object)), [])

  const label = (value: string | null): Promise<Answer> =>
    bed.request(
      'PATCH',
      '/api/v1/namespaces/plain?dryRun=All',
      { metadata: { labels: { [level]: value } } },
      MERGE_PATCH
    )
  t.match(ours(await label('warn')), [/namespace "plain" is now warn/])
  t.match(ours(await label('Enforce')), [/counts as off; known are off, warn, enforce/])
  t.strictSame(ours(await label(null)), [])
}

/** kubectl's own ways of debugging: a shell is let in, a privileged one and one that names its node are not. */
async function debuggedByKubectl(t: Test, bed: Bed): Promise<void> {
  const debug = (...args: readonly string[]): Promise<{ code: number; stderr: string }> =>
    bed.kubectl(['debug', '-n', 'strict', '--image=registry.example/tools:1', ...args])
  const shell = await debug('debugged', '--container=one', '--profile=general')
  t.equal(shell.code, 0, shell.stderr)
  const privileged = await debug('debugged', '--container=two', '--profile=sysadmin')
  t.not(privileged.code, 0)
  t.match(privileged.stderr, '[PrivilegedWithGpu] ephemeral container "two"')
  const node = { metadata: { name: 'gpu-1' }, status: {} }
  await bed.request('POST', '/api/v1/nodes', node)
  const onNode = await debug('node/gpu-1', '--profile=sysadmin')
  t.not(onNode.code, 0)
  t.match(onNode.stderr, '[NodeNameSet]')
  t.match(onNode.stderr, '[HostDevicePath]')
}

/** Pods that real controllers make are refused, and the owner's events say why. */
async function controllers(t: Test, bed: Bed): Promise<void> {
  const spoiled = (object: JsonRecord): JsonRecord => {
    const spec = Object(object['spec'])
    const template = { ...spec.template, spec: { ...spec.template.spec, hostPID: true } }
    return { ...object, spec: { ...spec, template } }
  }
  const objects = [workload('Deployment', 'bad-deploy'), workload('StatefulSet', 'bad-set'), job('bad-job')]
  for (const object of objects) await create(bed, spoiled(object), 'strict')
  for (const name of ['bad-deploy', 'bad-set', 'bad-job']) {
    await until(`the events of ${name} name the rule`, async () => {
      const { body } = await bed.request('GET', '/api/v1/namespaces/strict/events')
      return listOf(body, 'items').some(
        (event) =>
          String(fieldAt(event, 'involvedObject', 'name')).startsWith(name) &&
          stringOf(event, 'reason') === 'FailedCreate' &&
          (stringOf(event, 'message') ?? '').includes('[HostPidWithGpu]')
      )
    })
  }
  const { body } = await bed.request('GET', podsIn('strict'))
  const names = listOf(body, 'items').map((pod) => String(fieldAt(pod, 'metadata', 'name')))
  t.notOk(names.some((name) => name.startsWith('bad-')))
}

/** Several rules at once: one line each, and nothing about anybody else. */
async function toldTogether(t: Test, bed: Bed): Promise<void> {
  const pod = podOf({
    ...GPU,
    securityContext: { privileged: true },
    env: [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }]
  })
  const message = messageOf(await tryPod(bed, 'strict', pod))

  const lines = message.split('\n')
  t.equal(lines.length, 3)
  t.match(message, /\[VisibleDevicesOverride\] container "main"/)
  t.match(message, /\[PrivilegedWithGpu\] container "main"/)
  t.match(lines[2], /help: rightslice explain --reason/)
}

/** What becomes of pods that cost the conditions more than the API server spends on them. */
async function overBudget(t: Test, bed: Bed): Promise<void> {
  const entries = (count: number): JsonRecord[] =>
    Array.from({ length: count }, (_, index) => ({ name: `V${index}`, value: 'x' }))
  const all = { name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }
  for (const count of [1_000, 10_000, 60_000]) {
    const answer = await tryPod(bed, 'strict', podOf({ env: [...entries(count), all] }))
    t.equal(answer.status, 403, `${count} variables, the last one forbidden`)
    const honest = await tryPod(bed, 'strict', podOf({ env: entries(count) }))
    t.equal(honest.status, count < 60_000 ? 201 : 403, `${count} variables, all honest`)
    if (count === 60_000) t.match(messageOf(honest), /cost/, 'the API server gives up on its conditions')
  }
}

async function withoutUs(t: Test, bed: Bed, product: Product): Promise<void> {
  await product.stop('SIGKILL')
  const marked = podOf(GPU)
  const unseen = podOf({ envFrom: [{ configMapRef: { name: 'c' } }] })

  const refused = await tryPod(bed, 'kept', marked)
  t.ok(refused.status >= 400, 'a pod with a mark fails closed')
  t.match(messageOf(refused), 'isolation.rightslice.dev')
  t.equal((await tryPod(bed, 'kept', unseen)).status, 201, 'envFrom alone')
  t.equal((await tryPod(bed, 'kept', podOf({}))).status, 201, 'no mark')
  for (const namespace of ['told', 'out', 'plain'])
    t.equal((await tryPod(bed, namespace, marked)).status, 201, namespace)
}

async function isolation(t: Test, { bed }: OnBed): Promise<void> {
  const product = await setUp(bed)
  t.teardown(() => product.stop('SIGKILL'))

  await t.test('every try is refused in enforce, told in warn, untouched elsewhere', (t) =>
    refusedEverywhere(t, bed)
  )
  await t.test('no honest pod is refused', (t) => honestPass(t, bed))
  await t.test('agents of the node are let in where they live, and only there', (t) => infrastructure(t, bed))
  await t.test('ephemeral containers are judged, other updates are not', (t) => debugged(t, bed))
  await t.test('kubectl debug is judged', (t) => debuggedByKubectl(t, bed))
  await t.test('pods of real controllers are refused, and their events say why', (t) => controllers(t, bed))
  await t.test('workloads and namespaces get advice', (t) => advised(t, bed))
  await t.test('all broken rules are told together', (t) => toldTogether(t, bed))
  await t.test('a pod that is too long for the conditions does not slip through', (t) => overBudget(t, bed))
  await t.test(
    'without the webhook, marked pods fail closed where isolation is enforced, and only there',
    (t) => withoutUs(t, bed, product)
  )
  t.equal(
    fieldAt(
      product.log.find(({ level }) => level === 50 || level === 'error'),
      'err'
    ),
    undefined
  )
}

await bedTest(t, 'isolation on a real API server', isolation, { startScheduler: false })
