import t, { type Test } from 'tap'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringOf } from '../../../src/core/json.ts'
import { type Answer, bodyOf, MERGE_PATCH, type SendRequest, STRATEGIC_PATCH } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { USERS } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { startProduct } from '../product.ts'
import { bind, grant, installPolicies, isRefusedBy, untilActing, untilAllowed } from './install.ts'

const policy = 'rightslice-opt-in'
const level = 'rightslice.dev/rightsize'
const sharing = 'rightslice.dev/isolation'
const namespaces = '/api/v1/namespaces'
const APPLY = 'application/apply-patch+yaml'
const dryApply = '?dryRun=All&fieldManager=owner&force=true'

/** Label values by what they count as; undefined stands for no label. */
const levels: readonly (readonly [string | undefined, number])[] = [
  [undefined, 0],
  ['', 0],
  ['off', 0],
  ['Enforce', 0],
  ['true', 0],
  ['warn', 1],
  ['enforce', 2]
]
const classes: readonly (string | undefined)[] = [undefined, '', 'hardware', 'Shared-OK', 'shared-ok']

interface Change {
  readonly name: string
  readonly key: string
  readonly to: string | undefined
  readonly endsIsolation: boolean
}

/** Every way from one value of a label to another, over namespaces that hold the former. */
const changes: readonly Change[] = [
  ...levels.flatMap(([, before], from) =>
    levels.map(([to, after]) => ({ name: `level-${from}`, key: level, to, endsIsolation: after < before }))
  ),
  ...classes.flatMap((before, from) =>
    classes.map((to) => ({
      name: `class-${from}`,
      key: sharing,
      to,
      endsIsolation: to === 'shared-ok' && before !== 'shared-ok'
    }))
  )
]

type Way = (as: SendRequest, change: Change) => Promise<Answer>

const toPatch = ({ key, to }: Change): JsonRecord => ({ metadata: { labels: { [key]: to ?? null } } })

/** Ways in which people change a label; all are dry runs. */
const ways: Readonly<Record<string, Way>> = {
  'merge patch': (as, change) =>
    as('PATCH', `${namespaces}/${change.name}?dryRun=All`, toPatch(change), MERGE_PATCH),
  'strategic patch': (as, change) =>
    as('PATCH', `${namespaces}/${change.name}?dryRun=All`, toPatch(change), STRATEGIC_PATCH),
  apply: (as, change) => as('PATCH', `${namespaces}/${change.name}${dryApply}`, toNamespace(change), APPLY),
  replace: async (as, change) => {
    const { body } = await as('GET', `${namespaces}/${change.name}`)
    return await as('PUT', `${namespaces}/${change.name}?dryRun=All`, relabelled(body, change))
  },
  'patch of the status': (as, change) =>
    as('PATCH', `${namespaces}/${change.name}/status?dryRun=All`, toPatch(change), MERGE_PATCH),
  'replacing the finalizers': async (as, change) => {
    const { body } = await as('GET', `${namespaces}/${change.name}`)
    return await as('PUT', `${namespaces}/${change.name}/finalize?dryRun=All`, relabelled(body, change))
  }
}

function toNamespace({ name, key, to }: Pick<Change, 'name' | 'key' | 'to'>): JsonRecord {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: to === undefined ? {} : { [key]: to } }
  }
}

function relabelled(body: unknown, { key, to }: Change): JsonRecord {
  const metadata = Object(fieldOf(body, 'metadata'))
  const labels = Object.fromEntries(Object.entries(metadata.labels).filter(([name]) => name !== key))
  const added = to === undefined ? {} : { [key]: to }
  return { ...(isRecord(body) ? body : {}), metadata: { ...metadata, labels: { ...labels, ...added } } }
}

const users = {
  tenant: USERS.tenant,
  policyEditor: { user: 'policy-editor', groups: ['people'] },
  gpuAdmin: { user: 'gpu-admin', groups: ['people'] },
  clusterAdmin: { user: 'cluster-admin', groups: ['people'] },
  verbAlone: { user: 'verb-alone', groups: ['people'] }
} as const

async function setUp(bed: Bed): Promise<void> {
  await installPolicies(bed)
  const editing = {
    verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
    resources: ['/namespaces', '/namespaces/status', '/namespaces/finalize']
  }
  for (const user of [users.tenant, users.policyEditor, users.gpuAdmin]) await grant(bed, user, editing)
  const policies = {
    verbs: ['create', 'update', 'patch', 'delete'],
    resources: ['rightslice.dev/gpupolicies']
  }
  await grant(bed, users.policyEditor, policies)
  await bind(bed, users.gpuAdmin, 'rightslice-admin')
  await bind(bed, users.verbAlone, 'rightslice-admin')
  await bind(bed, users.clusterAdmin, 'cluster-admin')
  const before = [
    ...levels.map(([to], index) => ({ name: `level-${index}`, key: level, to })),
    ...classes.map((to, index) => ({ name: `class-${index}`, key: sharing, to }))
  ]
  for (const namespace of before) {
    const path = `${namespaces}/${namespace.name}?fieldManager=owner`
    bodyOf(await bed.request('PATCH', path, toNamespace(namespace), APPLY), namespace.name)
  }
  const tenant = bed.as(users.tenant)
  await untilAllowed(tenant, { verb: 'patch', group: '', resource: 'namespaces' })
  for (const user of [users.gpuAdmin, users.clusterAdmin, users.verbAlone])
    await untilAllowed(bed.as(user), { verb: 'optout', group: 'rightslice.dev', resource: 'gpupolicies' })
  await untilActing(policy, () => enforced(tenant, undefined))
}

/** Tries to change the level of the namespace on `enforce`. */
function enforced(as: SendRequest, to: string | undefined): Promise<Answer> {
  return as(
    'PATCH',
    `${namespaces}/level-6?dryRun=All`,
    { metadata: { labels: { [level]: to ?? null } } },
    MERGE_PATCH
  )
}

const messageOf = ({ body }: Answer): string => stringOf(body, 'message') ?? ''

/** Tries every change in every way; `mayEnd` says whether the user may end isolation. */
async function tryAll(t: Test, as: SendRequest, mayEnd: boolean): Promise<void> {
  const counts = { refused: 0, admitted: 0 }
  const wrong: string[] = []
  for (const [way, send] of Object.entries(ways))
    for (const change of changes) {
      const answer = await send(as, change)
      const isRight = change.endsIsolation && !mayEnd ? isRefusedBy(policy, answer) : answer.status === 200
      counts[answer.status === 200 ? 'admitted' : 'refused'] += 1
      if (!isRight)
        wrong.push(`${way}: ${change.name} to ${change.to}: ${answer.status} ${messageOf(answer)}`)
    }
  t.strictSame(wrong, [])
  t.comment(`${counts.refused} refused, ${counts.admitted} admitted`)
}

async function created(t: Test, bed: Bed): Promise<void> {
  for (const [key, to, endsIsolation] of [
    ...levels.map(([value]) => [level, value, false] as const),
    ...classes.map((value) => [sharing, value, value === 'shared-ok'] as const)
  ]) {
    const namespace = toNamespace({ name: 'fresh', key, to })
    const tenant = await bed.as(users.tenant)('POST', `${namespaces}?dryRun=All`, namespace)
    const admin = await bed.as(users.gpuAdmin)('POST', `${namespaces}?dryRun=All`, namespace)

    t.equal(isRefusedBy(policy, tenant), endsIsolation, `${key}=${to}`)
    t.equal(tenant.status, endsIsolation ? 403 : 201)
    t.equal(admin.status, 201)
  }
}

async function told(t: Test, bed: Bed): Promise<void> {
  const both = { metadata: { labels: { [level]: 'nonsense', [sharing]: 'shared-ok' } } }
  const answer = await bed.as(users.tenant)('PATCH', `${namespaces}/level-6?dryRun=All`, both, MERGE_PATCH)

  t.equal(
    messageOf(answer).replace(/^.*denied request: /, ''),
    [
      `namespace level-6: lowering ${level} from enforce to off and setting ${sharing}=shared-ok takes its pods out of isolation,`,
      'which needs the verb optout on gpupolicies.rightslice.dev; ask somebody with the role rightslice-admin'
    ].join(' ')
  )
}

async function byKubectl(t: Test, bed: Bed): Promise<void> {
  const label = (value: string, user: string): Promise<{ code: number; stderr: string }> =>
    bed.kubectl(['label', '--overwrite', 'namespace', 'level-5', value, `--as=${user}`])

  const removed = await label(`${level}-`, 'tenant')
  t.equal(removed.code, 1)
  t.match(removed.stderr, /lowering rightslice\.dev\/rightsize from warn to off/)
  t.match(await label(`${level}=enforce`, 'tenant'), { code: 0 })
  t.equal((await label(`${level}=warn`, 'tenant')).code, 1)
  t.match(await label('team=a', 'tenant'), { code: 0 })
  t.match(await label(`${level}=warn`, 'gpu-admin'), { code: 0 })
}

/** A namespace ends as always, and its controller is not held up. */
async function deleted(t: Test, bed: Bed): Promise<void> {
  const tenant = bed.as(users.tenant)
  const path = `${namespaces}/ending`
  const namespace = {
    metadata: { name: 'ending', labels: { [level]: 'enforce' }, finalizers: ['example.com/hold'] }
  }
  bodyOf(await tenant('POST', namespaces, namespace), 'create')
  t.equal((await tenant('DELETE', path)).status, 200)
  await until('the namespace controller is done', async () => {
    const { body } = await bed.request('GET', path)
    return listOf(fieldOf(body, 'spec'), 'finalizers').length === 0
  })
  t.equal(fieldAt((await bed.request('GET', path)).body, 'status', 'phase'), 'Terminating')
  t.ok(
    isRefusedBy(policy, await tenant('PATCH', path, { metadata: { labels: { [level]: null } } }, MERGE_PATCH))
  )
  t.equal((await tenant('PATCH', path, { metadata: { finalizers: null } }, MERGE_PATCH)).status, 200)
  await until('the namespace is gone', async () => (await bed.request('GET', path)).status === 404)
}

async function optInGuard(t: Test, { bed }: OnBed): Promise<void> {
  await setUp(bed)

  await t.test('[BACK5] a tenant who may edit namespaces cannot end isolation in any way', (t) =>
    tryAll(t, bed.as(users.tenant), false)
  )
  await t.test('[BACK5] nor can who may edit policies but has not the verb', (t) =>
    tryAll(t, bed.as(users.policyEditor), false)
  )
  await t.test('[BACK5] who has the verb can', (t) => tryAll(t, bed.as(users.gpuAdmin), true))
  await t.test('[BACK5] a cluster admin can', (t) => tryAll(t, bed.as(users.clusterAdmin), true))
  await t.test('[BACK5] the verb gives no right on namespaces', async (t) => {
    const answer = await enforced(bed.as(users.verbAlone), undefined)
    t.equal(answer.status, 403)
    t.notOk(isRefusedBy(policy, answer))
  })
  await t.test('[BACK5] a new namespace may have any level, but shares by the verb alone', (t) =>
    created(t, bed)
  )
  await t.test('[BACK5] the message says what, where, and who can', (t) => told(t, bed))
  await t.test('[BACK5] kubectl label meets the same', (t) => byKubectl(t, bed))
  await t.test('[BACK5] a namespace can be deleted', (t) => deleted(t, bed))
  await t.test('[BACK5] it is the same with the webhooks there, and with them stopped', async (t) => {
    const product = await startProduct(bed)
    t.teardown(() => product.stop('SIGKILL'))
    const tryBoth = async (): Promise<void> => {
      t.ok(isRefusedBy(policy, await enforced(bed.as(users.tenant), 'warn')))
      t.equal((await enforced(bed.as(users.gpuAdmin), 'warn')).status, 200)
    }
    const advised = await until('the webhook advises', async () => {
      const answer = await enforced(bed.as(users.gpuAdmin), 'warn')
      return answer.warnings.length > 0 ? answer : undefined
    })
    t.match(advised.warnings, [/^rightslice: namespace "level-6" is now warn/])
    await tryBoth()
    await product.stop('SIGKILL')
    await tryBoth()
  })
}

await bedTest(t, 'the guard of the opt-in on a real API server', optInGuard, { startScheduler: false })
