import t, { type Test } from 'tap'
import {
  nodeAnnotations,
  ownAnnotations,
  repartitioningTaint,
  sliceLabel
} from '../../../src/core/api/names.ts'
import { fieldOf, type JsonRecord, listOf } from '../../../src/core/json.ts'
import { type Answer, MERGE_PATCH, type SendRequest, STRATEGIC_PATCH } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { USERS } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { bind, grant, installPolicies, isRefusedBy, untilActing, untilAllowed } from './install.ts'
import { create, createNamespaces, marks, messageOf, namespaces, reserved } from './marks.ts'
import type { Carried } from './templates.ts'

const onPods = 'rightslice-reserved-keys'
const onNodes = `${onPods}-on-nodes`
const image = 'registry.example/app:1'
const kubelet = { user: 'system:node:gpu-1', groups: ['system:nodes'] }
const operator = { user: 'node-operator', groups: ['people'] }
const ours = [USERS.webhook, USERS.controller]

const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`

function podOf(name: string, { annotations = {}, labels = {} }: Carried): JsonRecord {
  return { metadata: { name, annotations, labels }, spec: { containers: [{ name: 'main', image }] } }
}

async function setUp(bed: Bed): Promise<void> {
  await createNamespaces(bed)
  for (const namespace of namespaces) await create(bed, pods(namespace), podOf('bare', {}))
  await installPolicies(bed)
  const may = { verbs: ['get', 'patch', 'update', 'create'] }
  for (const user of [...ours, operator])
    await grant(bed, user, { ...may, resources: ['/pods', '/pods/status', '/nodes', '/nodes/status'] })
  const more = ['/pods/status', '/pods/binding', '/bindings', '/pods/ephemeralcontainers']
  await grant(bed, USERS.tenant, { ...may, resources: more })
  await bind(bed, kubelet, 'system:node')
  for (const user of [...ours, operator, kubelet])
    await untilAllowed(bed.as(user), { verb: 'patch', group: '', resource: 'nodes' })
  await untilAllowed(bed.as(USERS.tenant), { verb: 'create', group: '', resource: 'bindings' })
  await untilActing(onPods, () => write(bed.request, { pod: 'bare', map: 'labels', key: sliceLabel }))
}

interface Write {
  readonly pod: 'bare' | 'marked'
  readonly map: 'annotations' | 'labels'
  readonly key: string
  readonly value?: string | null
  readonly namespace?: string
  readonly subresource?: string
}

/** A dry run of a change of one key of a pod. */
function write(as: SendRequest, change: Write): Promise<Answer> {
  const { pod, map, key, value = 'x', namespace = 'strict', subresource = '' } = change
  const path = `${pods(namespace)}/${pod}${subresource}?dryRun=All`
  return as('PATCH', path, { metadata: { [map]: { [key]: value } } }, MERGE_PATCH)
}

/** Every key, added, changed and removed, by the pod and by its status. */
const writes: readonly Write[] = ['', '/status'].flatMap((subresource) =>
  reserved.flatMap(([map, key]) => [
    { pod: 'bare' as const, map, key, subresource },
    { pod: 'marked' as const, map, key, subresource },
    { pod: 'marked' as const, map, key, subresource, value: null }
  ])
)

async function podsGuarded(t: Test, bed: Bed): Promise<void> {
  for (const [who, user] of [
    ['a tenant', USERS.tenant],
    ['kubelet', kubelet],
    ['an operator', operator]
  ] as const)
    for (const change of writes) {
      // A kubelet has no right on pods but on their status, and the tenant none on the status but by our grant.
      if (user === kubelet && change.subresource === '') continue
      const answer = await write(bed.as(user), change)
      t.ok(isRefusedBy(onPods, answer), `${who}: ${JSON.stringify(change)}: ${messageOf(answer)}`)
    }
  for (const user of ours)
    for (const change of writes) t.equal((await write(bed.as(user), change)).status, 200, user.user)
}

async function podsElsewhere(t: Test, bed: Bed): Promise<void> {
  for (const [map, key] of reserved) {
    const told = await write(bed.request, { pod: 'bare', map, key, namespace: 'told' })
    t.equal(told.status, 200)
    t.ok(told.warnings.some((text) => text.includes(`[ReservedKeyChanged]`) && text.includes(key)))
    for (const namespace of ['out', 'kube-system']) {
      const answer = await write(bed.request, { pod: 'bare', map, key, namespace })
      t.strictSame([answer.status, answer.warnings], [200, []], namespace)
    }
  }
}

async function podsLeftAlone(t: Test, bed: Bed): Promise<void> {
  const tenant = bed.as(USERS.tenant)
  const path = `${pods('strict')}/marked`
  const own = { metadata: { labels: { own: 'x' }, annotations: { 'example.com/own': 'x' } } }
  const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }
  const debug = { spec: { ephemeralContainers: [{ name: 'debug', image, targetContainerName: 'main' }] } }
  const smuggled = {
    metadata: { annotations: { [ownAnnotations.decision]: 'x' }, labels: { [sliceLabel]: 'x' } }
  }

  t.equal((await tenant('PATCH', path, own, MERGE_PATCH)).status, 200, 'keys of others')
  t.equal((await bed.as(kubelet)('PATCH', `${path}/status`, running, STRATEGIC_PATCH)).status, 200, 'status')
  for (const [subresource, body] of Object.entries({ ephemeralcontainers: debug, resize: {} })) {
    const answer = await bed.request(
      'PATCH',
      `${path}/${subresource}`,
      { ...body, ...smuggled },
      STRATEGIC_PATCH
    )
    t.equal(answer.status, 200, `${subresource}: ${messageOf(answer)}`)
  }
  const { body } = await bed.request('GET', path)
  t.equal(listOf(fieldOf(body, 'spec'), 'ephemeralContainers').length, 1)
  t.match(fieldOf(body, 'metadata'), { annotations: { ...marks.annotations }, labels: { ...marks.labels } })
  const { code, stderr } = await bed.kubectl([
    'debug',
    '-n=strict',
    'marked',
    `--image=${image}`,
    '--attach=false',
    '--as=tenant'
  ])
  t.equal(code, 0, stderr)
  t.equal(
    (await tenant('POST', `${pods('strict')}?dryRun=All`, podOf('new', marks))).status,
    201,
    'a new pod'
  )
}

/** A binding copies its annotations and labels to the pod. */
async function bindings(t: Test, bed: Bed): Promise<void> {
  const target = { kind: 'Node', name: 'gpu-1' }
  for (const [map, key] of reserved)
    for (const path of [`${pods('strict')}/bare/binding`, '/api/v1/namespaces/strict/bindings']) {
      const binding = { metadata: { name: 'bare', [map]: { [key]: 'x' } }, target }
      t.ok(isRefusedBy(onPods, await bed.as(USERS.tenant)('POST', path, binding)), `${path} ${key}`)
    }
  const plain = { metadata: { name: 'bare', annotations: { 'example.com/own': 'x' } }, target }
  t.equal((await bed.request('POST', `${pods('strict')}/bare/binding?dryRun=All`, plain)).status, 201)
}

const NODE = '/api/v1/nodes/gpu-1'
const taint = { key: repartitioningTaint, effect: 'NoSchedule' }
const other = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }

async function setUpNode(bed: Bed): Promise<void> {
  const annotations = Object.fromEntries(Object.values(nodeAnnotations).map((key) => [key, 'ours']))
  await create(bed, '/api/v1/nodes', { metadata: { name: 'gpu-1', annotations }, spec: { taints: [taint] } })
  await untilActing(onNodes, () =>
    bed.request('PATCH', `${NODE}?dryRun=All`, { spec: { taints: null } }, MERGE_PATCH)
  )
}

async function nodesGuarded(t: Test, bed: Bed): Promise<void> {
  const changes: readonly (readonly [string, JsonRecord])[] = [
    ...Object.values(nodeAnnotations).flatMap((key) =>
      ['x', null].flatMap((value) =>
        ['', '/status'].map((sub) => [sub, { metadata: { annotations: { [key]: value } } }] as const)
      )
    ),
    ['', { spec: { taints: [] } }],
    ['', { spec: { taints: [{ ...taint, effect: 'PreferNoSchedule' }] } }],
    ['', { spec: { taints: [taint, { ...taint, effect: 'NoExecute' }] } }]
  ]
  for (const [subresource, patch] of changes) {
    const send = (as: SendRequest): Promise<Answer> =>
      as('PATCH', `${NODE}${subresource}?dryRun=All`, patch, MERGE_PATCH)
    for (const as of [bed.request, bed.as(kubelet), bed.as(operator)])
      t.ok(isRefusedBy(onNodes, await send(as)), JSON.stringify(patch))
    t.equal((await send(bed.as(USERS.controller))).status, 200)
  }
}

async function nodesLeftAlone(t: Test, bed: Bed): Promise<void> {
  const agent = bed.as(kubelet)
  const heartbeat = {
    metadata: { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] }
  }

  t.equal((await agent('PATCH', `${NODE}/status`, heartbeat, STRATEGIC_PATCH)).status, 200, 'heartbeat')
  t.equal((await agent('PATCH', NODE, { metadata: { labels: { zone: 'a' } } }, MERGE_PATCH)).status, 200)
  t.equal(
    (await bed.request('PATCH', NODE, { spec: { unschedulable: true } }, MERGE_PATCH)).status,
    200,
    'cordon'
  )
  for (const taints of [[other, taint], [taint, other], [taint]])
    t.equal(
      (await bed.request('PATCH', NODE, { spec: { taints } }, MERGE_PATCH)).status,
      200,
      'taints of others'
    )
  const { body } = await agent('GET', NODE)
  // Without its version, for the node controller writes at the same time.
  const metadata = { ...Object(fieldOf(body, 'metadata')), resourceVersion: '' }
  const replaced = await agent('PUT', `${NODE}/status`, { ...Object(body), metadata })
  t.equal(replaced.status, 200, `replaced as it is: ${messageOf(replaced)}`)
  const fresh = { metadata: { name: 'gpu-2' }, spec: { taints: [taint] } }
  t.equal((await bed.request('POST', '/api/v1/nodes?dryRun=All', fresh)).status, 201, 'a new node')
}

async function reservedKeys(t: Test, { bed }: OnBed): Promise<void> {
  await setUp(bed)
  await create(bed, pods('strict'), podOf('marked', marks))
  await setUpNode(bed)

  await t.test('[BACK1] our keys on pods are changed by us alone', (t) => podsGuarded(t, bed))
  await t.test('[BACK1] [BACK6] told on warn, not looked at elsewhere', (t) => podsElsewhere(t, bed))
  await t.test('[BACK1] what leaves our keys as they are is not held up', (t) => podsLeftAlone(t, bed))
  await t.test('[BACK1] a binding does not smuggle our keys in', (t) => bindings(t, bed))
  await t.test('[BACK2] our keys on nodes are changed by us alone', (t) => nodesGuarded(t, bed))
  await t.test('[BACK2] agents of nodes are not held up', (t) => nodesLeftAlone(t, bed))
}

await bedTest(t, 'reserved keys on a real API server', reservedKeys, { startScheduler: false })
