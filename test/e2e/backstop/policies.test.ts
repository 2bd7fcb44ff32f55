import t, { type Test } from 'tap'
import { namespaceLabels, ownAnnotations } from '../../../src/core/api/names.ts'
import { admissionPolicies } from '../../../src/core/backstop/admission-policies.ts'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringOf } from '../../../src/core/json.ts'
import { bodyOf, MERGE_PATCH } from '../../bed/api-client.ts'
import { bedTest, type OnBed } from '../../bed/bed-test.ts'
import { createNamespace } from '../../bed/namespace.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { installPolicies, untilActing } from './install.ts'

const collection = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
/** Far above what is measured (0.1 to 0.7 ms), so that a busy machine passes. */
const MOST_MS = 5
const TIMES = 200

const policies = admissionPolicies()
  .filter(isRecord)
  .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
const nameOf = (policy: unknown): string => String(fieldAt(policy, 'metadata', 'name'))

/** What the API server finds wrong with the types of a policy, once it has looked. */
async function typeFaults(bed: Bed, name: string): Promise<readonly unknown[]> {
  const checked = await until(`${name} is checked`, async () => {
    const { body } = await bed.request('GET', `${collection}/${name}`)
    return fieldAt(body, 'status', 'typeChecking')
  })
  return listOf(checked, 'expressionWarnings')
}

/** The API server looks at the types of validations alone; so this policy holds all that another says as validations. */
function asValidations(policy: JsonRecord, name: string, change: (expression: string) => string): JsonRecord {
  const spec = Object(policy['spec'])
  const expressions = [...listOf(spec, 'matchConditions'), ...listOf(spec, 'variables')]
    .map((named) => stringOf(named, 'expression') ?? '')
    .map(change)
  const validations = expressions.map((expression) => ({ expression: `dyn(${expression}) != null` }))
  return { ...policy, metadata: { name }, spec: { ...spec, matchConditions: [], validations } }
}

async function faultsOf(bed: Bed, policy: JsonRecord): Promise<readonly unknown[]> {
  const created = await bed.request('POST', collection, policy)
  if (created.status === 422) return [created.body] // what is of a known type is looked at at once
  bodyOf(created, `create ${nameOf(policy)}`)
  const faults = await typeFaults(bed, nameOf(policy))
  bodyOf(await bed.request('DELETE', `${collection}/${nameOf(policy)}`), `delete ${nameOf(policy)}`)
  return faults
}

async function typesFit(t: Test, bed: Bed): Promise<void> {
  for (const policy of policies) {
    const name = nameOf(policy)
    const right = asValidations(policy, `${name}-right`, (expression) => expression)
    const wrong = asValidations(policy, `${name}-wrong`, (expression) =>
      expression.replaceAll(/metadata|approval/g, 'nonsense')
    )

    t.strictSame(await typeFaults(bed, name), [], name)
    t.strictSame(await faultsOf(bed, right), [], `${name}, all that it says`)
    t.not((await faultsOf(bed, wrong)).length, 0, `${name} is really looked at`)
  }
}

/** Seconds that the API server has spent on policies for updates that it admitted. */
async function secondsSpent(bed: Bed): Promise<number> {
  const { body } = await bed.request('GET', '/metrics')
  const series =
    /^apiserver_admission_controller_admission_duration_seconds_sum\{name="ValidatingAdmissionPolicy",operation="UPDATE",rejected="false",type="validate"\} (\S+)$/m
  return Number(series.exec(String(body))?.[1] ?? 0)
}

const strict = 'namespaces/strict'
/** What is updated all the time in a cluster, and is none of the policies' business. */
const updates: Readonly<Record<string, string>> = {
  pod: `/api/v1/${strict}/pods/one`,
  'pod status': `/api/v1/${strict}/pods/one/status`,
  node: '/api/v1/nodes/one',
  'node status': '/api/v1/nodes/one/status',
  Deployment: `/apis/apps/v1/${strict}/deployments/one`,
  namespace: `/api/v1/${strict}`
}

/** Mean time spent on policies for one update of each, ms. */
async function costs(bed: Bed): Promise<Readonly<Record<string, number>>> {
  const spent: Record<string, number> = {}
  for (const [what, path] of Object.entries(updates)) {
    const before = await secondsSpent(bed)
    for (let index = 0; index < TIMES; index++) {
      const patch = { metadata: { annotations: { 'example.com/count': String(index) } } }
      bodyOf(await bed.request('PATCH', path, patch, MERGE_PATCH), what)
    }
    spent[what] = ((await secondsSpent(bed)) - before) * (1000 / TIMES)
  }
  return spent
}

async function setUp(bed: Bed): Promise<void> {
  await createNamespace(bed, 'strict', { labels: { [namespaceLabels.rightsize]: 'enforce' } })
  const template = {
    metadata: { labels: { app: 'one' } },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] }
  }
  const spec = { replicas: 0, selector: { matchLabels: { app: 'one' } }, template }
  for (const [what, path, object] of [
    ['pod', `/api/v1/${strict}/pods`, { metadata: { name: 'one' }, spec: template.spec }],
    ['node', '/api/v1/nodes', { metadata: { name: 'one' } }],
    ['deployment', `/apis/apps/v1/${strict}/deployments`, { metadata: { name: 'one' }, spec }]
  ] as const)
    bodyOf(await bed.request('POST', path, object), `create a ${what}`)
}

async function shipped(t: Test, { bed }: OnBed): Promise<void> {
  await setUp(bed)
  const without = await costs(bed)
  await installPolicies(bed)
  const marked = { metadata: { annotations: { [ownAnnotations.decision]: 'x' } } }
  await untilActing('rightslice-reserved-keys', () =>
    bed.request('PATCH', `/api/v1/${strict}/pods/one?dryRun=All`, marked, MERGE_PATCH)
  )

  await t.test('the API server finds no fault in the types of any policy', (t) => typesFit(t, bed))
  await t.test(`an update of others costs less than ${MOST_MS} ms more`, async (t) => {
    const withPolicies = await costs(bed)
    for (const [what, ms] of Object.entries(withPolicies)) {
      const added = ms - (without[what] ?? 0)
      t.ok(added < MOST_MS, `${what}: ${added.toFixed(3)} ms`)
    }
  })
  await t.test('what is installed is what the tables say', async (t) => {
    const { body } = await bed.request('GET', collection)
    t.strictSame(listOf(body, 'items').map(nameOf).toSorted(), policies.map(nameOf).toSorted())
    for (const policy of policies)
      t.match(
        listOf(body, 'items').find((item) => nameOf(item) === nameOf(policy)),
        { spec: fieldOf(policy, 'spec') }
      )
  })
}

await bedTest(t, 'the admission policies as shipped', shipped, { startScheduler: false })
