import t, { type Test } from 'tap'
import { fieldAt, type JsonRecord, listOf } from '../../../src/core/json.ts'
import { type Answer, MERGE_PATCH, type SendRequest, STRATEGIC_PATCH } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { USERS } from '../../bed/roles.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { grant, installPolicies, isRefusedBy, untilActing, untilAllowed } from './install.ts'
import { create, createNamespaces, marks, messageOf, namespaces, reserved } from './marks.ts'
import { collectionOf, kinds, objectOf, templatePatch } from './templates.ts'

const image = 'registry.example/app:1'
const policyOf = (kind: string): string =>
  `rightslice-reserved-keys-in-${kind === 'CronJob' ? 'cronjobs' : 'templates'}`

/** Objects as they were before the policies came, then the policies. */
async function setUp(bed: Bed): Promise<void> {
  await createNamespaces(bed)
  for (const namespace of namespaces)
    for (const kind of kinds) {
      await create(bed, collectionOf(kind, namespace), objectOf(kind, 'bare', {}))
      await create(bed, collectionOf(kind, namespace), objectOf(kind, 'marked', marks))
    }
  await installPolicies(bed)
  const manager = USERS['kube-controller-manager']
  await grant(bed, manager, { verbs: ['create'], resources: ['batch/jobs'] })
  await untilAllowed(bed.as(manager), { verb: 'create', group: 'batch', resource: 'jobs' })
  for (const kind of kinds)
    await untilActing(policyOf(kind.kind), () =>
      bed.request('POST', `${collectionOf(kind, 'strict')}?dryRun=All`, objectOf(kind, 'probe', marks))
    )
}

async function templatesGuarded(t: Test, bed: Bed): Promise<void> {
  const tenant = bed.as(USERS.tenant)
  for (const kind of kinds)
    for (const [map, key] of reserved) {
      const collection = collectionOf(kind, 'strict')
      const patchOf = (value: string | null): JsonRecord => templatePatch(kind, { [map]: { [key]: value } })
      const send = (name: string, value: string | null): Promise<Answer> =>
        tenant('PATCH', `${collection}/${name}?dryRun=All`, patchOf(value), MERGE_PATCH)
      const fresh = objectOf(kind, 'fresh', { [map]: { [key]: 'x' } })

      t.ok(
        isRefusedBy(policyOf(kind.kind), await tenant('POST', `${collection}?dryRun=All`, fresh)),
        kind.kind
      )
      // The template of a Job can hardly be changed at all.
      if (kind.kind === 'Job') continue
      t.ok(isRefusedBy(policyOf(kind.kind), await send('bare', 'x')), `${kind.kind} gets ${key}`)
      t.ok(isRefusedBy(policyOf(kind.kind), await send('marked', 'x')), `${kind.kind} changes ${key}`)
      t.equal((await send('marked', null)).status, 200, `${kind.kind} loses ${key}`)
    }
}

async function templatesLeftAlone(t: Test, bed: Bed): Promise<void> {
  const tenant = bed.as(USERS.tenant)
  for (const kind of kinds) {
    const collection = collectionOf(kind, 'strict')
    const fresh = objectOf(kind, 'fresh', { annotations: { 'rightslice.dev/pin': 'whole-gpu' } })
    t.equal((await tenant('POST', `${collection}?dryRun=All`, fresh)).status, 201, `${kind.kind} with wishes`)
    const tuned = await tenant('PATCH', `${collection}/marked`, kind.tuning, MERGE_PATCH)
    t.equal(tuned.status, 200, `${kind.kind} of old: ${messageOf(tuned)}`)
    for (const [namespace, warnings] of [
      ['told', 1],
      ['out', 0],
      ['kube-system', 0]
    ] as const) {
      const path = `${collectionOf(kind, namespace)}?dryRun=All`
      const answer = await bed.request('POST', path, objectOf(kind, 'fresh', marks))
      const told = answer.warnings.filter((text) => text.includes('[ReservedKeyChanged]'))
      t.strictSame([answer.status, told.length], [201, warnings], `${kind.kind} in ${namespace}`)
    }
  }
}

/** The controllers of Kubernetes go on with what held our keys before. */
async function controllersLeftAlone(t: Test, bed: Bed): Promise<void> {
  const deployment = '/apis/apps/v1/namespaces/strict/deployments/marked'
  const next = { spec: { template: { spec: { containers: [{ name: 'main', image: `${image}-next` }] } } } }
  t.equal((await bed.as(USERS.tenant)('PATCH', deployment, next, STRATEGIC_PATCH)).status, 200)
  const made = await until('the next ReplicaSet has its pods', async () => {
    const { body } = await bed.request('GET', '/apis/apps/v1/namespaces/strict/replicasets')
    return listOf(body, 'items').find(
      (set) => JSON.stringify(set).includes(`${image}-next`) && Number(fieldAt(set, 'status', 'replicas')) > 0
    )
  })
  t.match(fieldAt(made, 'spec', 'template', 'metadata'), { annotations: { ...marks.annotations } })
}

/** An owner alone lifts nothing: anyone can write one. */
async function ownersForged(t: Test, bed: Bed): Promise<void> {
  const group = 'system:serviceaccounts'
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'marked', uid: 'a', controller: true }
  const controller = {
    user: 'system:serviceaccount:kube-system:cronjob-controller',
    groups: [group, `${group}:kube-system`]
  }
  const kind = kinds.find((candidate) => candidate.kind === 'Job')
  if (kind === undefined) throw new Error('there is no Job')
  const send = (as: SendRequest, ownerReferences: readonly JsonRecord[]): Promise<Answer> => {
    const object = objectOf(kind, 'owned', marks)
    const owned = { ...object, metadata: { name: 'owned', ownerReferences } }
    return as('POST', `${collectionOf(kind, 'strict')}?dryRun=All`, owned)
  }

  t.ok(isRefusedBy(policyOf('Job'), await send(bed.as(USERS.tenant), [owner])), 'a tenant')
  t.ok(isRefusedBy(policyOf('Job'), await send(bed.as(controller), [])), 'no owner')
  t.ok(isRefusedBy(policyOf('Job'), await send(bed.as(controller), [{ ...owner, controller: false }])))
  for (const user of [controller, USERS['kube-controller-manager']]) {
    const answer = await send(bed.as(user), [owner])
    t.equal(answer.status, 201, messageOf(answer))
  }
}

async function inTemplates(t: Test, { bed }: OnBed): Promise<void> {
  await setUp(bed)

  await t.test('[BACK3] our keys are not put into templates', (t) => templatesGuarded(t, bed))
  await t.test('[BACK3] [BACK6] other templates, and those of old, are free', (t) =>
    templatesLeftAlone(t, bed)
  )
  await t.test('[BACK4] controllers go on with templates of old', (t) => controllersLeftAlone(t, bed))
  await t.test('[BACK4] an owner alone lifts nothing', (t) => ownersForged(t, bed))
}

await bedTest(t, 'reserved keys in templates on a real API server', inTemplates, { startScheduler: false })
