import fc from 'fast-check'
import t, { type Test } from 'tap'
import { staticRules } from '../../../src/core/backstop/isolation-policies.ts'
import { fieldAt, isRecord, type JsonRecord, listOf } from '../../../src/core/json.ts'
import { type Answer, bodyOf, MERGE_PATCH, STRATEGIC_PATCH } from '../../bed/api-client.ts'
import { bedTest } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { verdictOn } from '../../build/isolation.ts'
import { somePods } from '../../property/isolation-pods.ts'
import { installPolicies, isRefusedBy, untilActing } from '../backstop/install.ts'
import { attempts, debugAttempts } from './attempts.ts'
import { honestPods, infrastructurePods } from './honest-pods.ts'
import { createRuntimeClasses, inTurns, messageOf, plain, podOf, podsIn, tryPod } from './try-pod.ts'

/** The rules in the API server, with no webhook at all. */

const level = 'rightslice.dev/rightsize'
const table = '/api/v1/namespaces/rightslice-system/configmaps/rightslice-rules'
const REFUSES = 'rightslice-isolation'
const WARNS = 'rightslice-isolation-warn'
const GPU = { resources: { limits: { 'nvidia.com/gpu': '1' } } }
const bad = podOf({ ...GPU, securityContext: { privileged: true } })

/** Generated pods that are compared with the rules; `FC_SEED` gives the same ones again. */
const GENERATED = 300

/** Tries that CEL cannot tell from honest pods, by the beginning of what they say: these are the webhook's alone. */
const leftToWebhook = [
  'VisibleDevicesOverride: a reference to another variable',
  'PreloadIntoToolkit: LD_PRELOAD=/usr/../proc/self/cwd/lib.so',
  'PreloadIntoToolkit: LD_PRELOAD in pieces'
]

const rulesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\[(\w+)\]/g)].map(([, code = '']) => code)
const warned = ({ warnings }: Answer): readonly string[] =>
  warnings.filter((line) => line.includes(`'${WARNS}'`)).flatMap(rulesIn)

async function setUp(bed: Bed): Promise<void> {
  await installPolicies(bed)
  await createRuntimeClasses(bed)
  for (const [name, value] of Object.entries({
    strict: 'enforce',
    other: 'enforce',
    told: 'warn',
    out: 'off'
  }))
    await createNamespace(bed, name, { labels: { [level]: value } })
  await createNamespace(bed, 'plain')
  await untilActing(REFUSES, () => tryPod(bed, 'strict', bad))
  await until(`${WARNS} acts`, async () => warned(await tryPod(bed, 'told', bad)).length > 0)
}

async function tries(t: Test, bed: Bed): Promise<void> {
  const all = attempts()
  const missed = new Set<string>()
  const wrong: string[] = []
  await inTurns(all, async ({ says, rule, pod }) => {
    const refused = await tryPod(bed, 'strict', pod)
    const told = await tryPod(bed, 'told', pod)
    const isRefused = isRefusedBy(REFUSES, refused) && rulesIn(messageOf(refused)).includes(rule)
    if (!isRefused && refused.status === 201) missed.add(says.replace(/ \([^()]*\)$/, ''))
    else if (!isRefused) wrong.push(`${says}: ${refused.status} ${messageOf(refused).slice(0, 200)}`)
    if (told.status !== 201 || warned(told).includes(rule) !== isRefused)
      wrong.push(`${says} in warn: ${told.status} ${told.warnings.join(' ')}`)
    for (const namespace of ['out', 'plain']) {
      const answer = await tryPod(bed, namespace, pod)
      if (answer.status !== 201 || warned(answer).length > 0) wrong.push(`${says} in ${namespace}`)
    }
  })

  t.strictSame(wrong, [])
  t.strictSame([...missed].toSorted(), leftToWebhook.toSorted(), 'what is left to the webhook')
}

async function honest(t: Test, bed: Bed): Promise<void> {
  const wrong: string[] = []
  await inTurns(honestPods, async ({ says, pod }) => {
    const answer = await tryPod(bed, 'strict', pod)
    if (answer.status !== 201) wrong.push(`${says}: ${messageOf(answer)}`)
  })
  await createNamespace(bed, 'gpu-operator', { labels: { [level]: 'enforce' } })
  for (const { says, pod, reachesHost } of infrastructurePods) {
    t.equal((await tryPod(bed, 'gpu-operator', pod)).status, 201, `${says} where it lives`)
    t.equal(
      (await tryPod(bed, 'strict', pod)).status,
      reachesHost ? 403 : 201,
      `${says} in a tenant's namespace`
    )
  }
  t.strictSame(wrong, [])
}

/** A generated pod as the API server would take it: names once, no ephemeral container yet. */
function acceptable({ metadata, spec }: JsonRecord): JsonRecord {
  const { ephemeralContainers: _none, ...rest } = Object(spec)
  const named = (list: string): JsonRecord[] =>
    listOf(spec, list)
      .filter(isRecord)
      .map((container, index) => ({
        ...container,
        name: `${list.slice(0, 4).toLowerCase()}-${index}`,
        volumeMounts: listOf(container, 'volumeMounts').slice(0, 1)
      }))
  const volumes = [...listOf(spec, 'volumes'), { name: 'v', emptyDir: {} }].slice(0, 1)
  return {
    metadata,
    spec: { ...rest, volumes, containers: named('containers'), initContainers: named('initContainers') }
  }
}

async function agree(t: Test, bed: Bed): Promise<void> {
  const seed = Number(process.env['FC_SEED'] ?? 20_261_129)
  const pods = fc.sample(somePods(false), { numRuns: GENERATED, seed }).map(acceptable)
  const known = new Set<string>(staticRules.map(({ code }) => code))
  const wrong: string[] = []
  let judged = 0
  await inTurns(pods, async (pod) => {
    const answer = await tryPod(bed, 'strict', pod)
    if (answer.status !== 201 && answer.status !== 403) return
    judged += 1
    const verdict = verdictOn({ raw: pod, policies: [] })
    const refused = verdict.kind === 'judged' ? verdict.refused.map(({ rule }) => rule) : []
    const want = [...new Set(refused)].filter((rule) => known.has(rule))
    const got = answer.status === 403 ? rulesIn(messageOf(answer)) : []
    if (JSON.stringify(got) !== JSON.stringify(want))
      wrong.push(`${got.join(' ')} instead of ${want.join(' ')}: ${JSON.stringify(pod)}`)
  })
  t.comment(`${judged} of ${pods.length} pods, seed ${seed}`)
  t.ok(judged > GENERATED / 2, `${judged} pods were such that the API server judged them`)
  t.strictSame(wrong, [])
}

async function debugged(t: Test, bed: Bed): Promise<void> {
  const object = podOf(GPU, 'debugged')
  const pod = { ...object, spec: { ...Object(object['spec']), volumes: [{ name: 'scratch', emptyDir: {} }] } }
  bodyOf(await bed.request('POST', podsIn('strict'), pod), 'create a pod')
  const debug = (container: JsonRecord, query = '?dryRun=All'): Promise<Answer> =>
    bed.request(
      'PATCH',
      `${podsIn('strict')}/debugged/ephemeralcontainers${query}`,
      { spec: { ephemeralContainers: [container] } },
      STRATEGIC_PATCH
    )
  for (const { rule, container } of debugAttempts) {
    const answer = await debug(container)
    t.ok(isRefusedBy(REFUSES, answer), rule)
    t.match(messageOf(answer), `[${rule}] ${String(container['name'])}:`)
  }
  t.equal((await debug({ ...plain, name: 'shell' }, '')).status, 200)
  t.equal((await debug({ ...plain, name: 'second' })).status, 200, 'beside one that is there')

  const annotate = (annotations: Readonly<Record<string, string>>): Promise<Answer> =>
    bed.request(
      'PATCH',
      `${podsIn('strict')}/debugged?dryRun=All`,
      { metadata: { annotations } },
      MERGE_PATCH
    )
  const devices = await annotate({ 'nvidia.cdi.k8s.io/container.main': 'nvidia.com/gpu=all' })
  t.ok(isRefusedBy(REFUSES, devices), 'an annotation that injects devices comes later')
  t.match(messageOf(devices), '[CdiAnnotation]')
  t.equal((await annotate({ 'example.com/seen': 'yes' })).status, 200, 'other annotations')
}

const setTable = async (bed: Bed, data: Readonly<Record<string, string | null>>): Promise<void> => {
  bodyOf(await bed.request('PATCH', table, { data }, MERGE_PATCH), 'change the table')
}

/** Levels and exemptions, as the controller writes them. */
async function levels(t: Test, bed: Bed): Promise<void> {
  const outcome = async (namespace: string, pod: JsonRecord = bad): Promise<string> => {
    const answer = await tryPod(bed, namespace, pod)
    if (answer.status === 403) return 'refused'
    return warned(answer).length > 0 ? 'warned' : 'let in'
  }
  const becomes = async (want: string, namespace = 'strict', pod = bad): Promise<void> => {
    await until(`${namespace} ${want}`, async () => (await outcome(namespace, pod)) === want)
    t.equal(await outcome('other'), 'refused', `${want} in one namespace, unchanged in others`)
  }
  const key = 'policy.p.PrivilegedWithGpu'
  const owned = {
    ...bad,
    metadata: {
      name: 'app-6c9d-x',
      labels: { 'pod-template-hash': '6c9d' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'app-6c9d',
          uid: '0b8c9d9e-0000-4000-8000-000000000001',
          controller: true
        }
      ]
    }
  }
  const labelled = { ...bad, metadata: { name: 'some', labels: { app: 'web', tier: 'gpu' } } }
  const exempt = 'exempt.strict.PrivilegedWithGpu'

  await setTable(bed, { 'namespace.strict': 'p', 'namespace.told': 'p', [key]: 'Warn' })
  await becomes('let in')
  await until(
    'a rule at Warn is told where the namespace warns',
    async () => (await outcome('told')) === 'warned'
  )
  await setTable(bed, { [key]: 'Off' })
  await until('and not at Off', async () => (await outcome('told')) === 'let in')
  await becomes('let in')
  await setTable(bed, { 'namespace.strict': null, 'namespace.told': null, [key]: null })
  await becomes('refused')

  await setTable(bed, { [exempt]: 'Deployment/app' })
  await becomes('let in', 'strict', owned)
  t.equal(await outcome('strict'), 'refused', 'another pod')
  await setTable(bed, { [exempt]: 'Job/x label:app=web,tier=gpu' })
  await becomes('let in', 'strict', labelled)
  t.equal(await outcome('strict', owned), 'refused')
  await setTable(bed, { [exempt]: 'Pod/some' })
  await becomes('let in')
  await setTable(bed, { [exempt]: '*' })
  await becomes('let in', 'strict', owned)
  await setTable(bed, { [exempt]: null, 'outside.strict': 'system' })
  await becomes('let in')
  await setTable(bed, { 'outside.strict': null })
  await becomes('refused')
}

/** Several rules at once, in one message. */
async function toldTogether(t: Test, bed: Bed): Promise<void> {
  const pod = podOf({
    ...GPU,
    securityContext: { privileged: true },
    env: [{ name: 'NVIDIA_VISIBLE_DEVICES', value: 'all' }]
  })
  const message = messageOf(await tryPod(bed, 'strict', pod))

  t.strictSame(rulesIn(message), ['VisibleDevicesOverride', 'PrivilegedWithGpu'])
  t.match(
    message,
    /\[VisibleDevicesOverride\] main: A container names the devices .* Help: rightslice explain --reason CODE$/
  )
}

async function withoutTable(t: Test, bed: Bed): Promise<void> {
  const { body } = await bed.request('GET', table)
  bodyOf(await bed.request('DELETE', table), 'delete the table')
  await until(
    'pods are refused without the table',
    async () => (await tryPod(bed, 'strict', podOf({}))).status === 422
  )
  t.match(messageOf(await tryPod(bed, 'strict', podOf({}))), /rightslice-isolation.*no params found/)
  t.equal((await tryPod(bed, 'told', bad)).status, 201)
  t.equal((await tryPod(bed, 'plain', bad)).status, 201)
  const object = { metadata: { name: 'rightslice-rules' }, data: fieldAt(body, 'data') }
  bodyOf(await bed.request('POST', table.replace(/\/[^/]+$/, ''), object), 'put the table back')
  await until('honest pods pass again', async () => (await tryPod(bed, 'strict', podOf({}))).status === 201)
}

await bedTest(
  t,
  'the isolation rules without any webhook',
  async (t, { bed }) => {
    await setUp(bed)
    await t.test('every try is refused in enforce, warned of in warn, untouched elsewhere', (t) =>
      tries(t, bed)
    )
    await t.test('no honest pod is refused', (t) => honest(t, bed))
    await t.test('generated pods: the same rules are broken as the webhook would tell', (t) => agree(t, bed))
    await t.test('ephemeral containers', (t) => debugged(t, bed))
    await t.test('all broken rules are told together', (t) => toldTogether(t, bed))
    await t.test('levels and exemptions of the table, in one namespace', (t) => levels(t, bed))
    await t.test('without the table new pods are refused on enforce, and only there', (t) =>
      withoutTable(t, bed)
    )
  },
  { startScheduler: false }
)
