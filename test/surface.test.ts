import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { eventReasons } from '../src/core/api/event-reasons.ts'
import { methodNames } from '../src/core/api/method-names.ts'
import {
  API_GROUP,
  API_VERSION,
  authoritySecret,
  namespaceLabels,
  nodeAnnotations,
  OPT_OUT_VERB,
  ownAnnotations,
  PREFIX,
  repartitioningTaint,
  serviceAccounts,
  sliceLabel,
  userAnnotations,
  webhookConfigurations,
  webhookNames,
  webhookService
} from '../src/core/api/names.ts'
import { reasons } from '../src/core/api/reasons.ts'
import { rules } from '../src/core/api/rules.ts'
import { admissionPolicies } from '../src/core/backstop/admission-policies.ts'
import { errorCodes } from '../src/core/errors.ts'
import { fieldAt, fieldOf, isRecord, listOf, stringOf } from '../src/core/json.ts'
import { metricTable } from '../src/observability/metric-table.ts'

/*
 * The names that users rely on. A name that goes, or means something else, breaks somebody: such a change is marked with `!`
 * and says what users must do. `TAP_SNAPSHOT=1` writes the list anew; read every line that changed.
 */
const goldenFile = new URL('golden/surface.json', import.meta.url)

interface Surface {
  readonly [topic: string]: readonly string[]
}

const surface: Surface = {
  api: [`${API_GROUP}/${API_VERSION}`],
  namespaceLabels: Object.values(namespaceLabels).sort(),
  userAnnotations: Object.values(userAnnotations).sort(),
  ownAnnotations: Object.values(ownAnnotations).sort(),
  podLabels: [sliceLabel],
  nodeAnnotations: Object.values(nodeAnnotations).sort(),
  taints: [repartitioningTaint],
  serviceAccounts: Object.values(serviceAccounts).sort(),
  verbs: [OPT_OUT_VERB],
  admissionPolicies: admissionPolicies()
    .map((object) => `${stringOf(object, 'kind')} ${stringOf(fieldOf(object, 'metadata'), 'name')}`)
    .sort(),
  webhooks: Object.values(webhookNames).sort(),
  webhookObjects: [...webhookConfigurations.map(({ name }) => name), webhookService, authoritySecret].sort(),
  methods: [...methodNames].sort(),
  reasons: Object.entries(reasons)
    .map(([code, { outcome, marks }]) => `${code}: ${outcome}, marks ${marks}`)
    .sort(),
  rules: Object.entries(rules)
    .map(([code, { defaultLevel }]) => `${code}: ${defaultLevel}`)
    .sort(),
  events: Object.entries(eventReasons)
    .map(([reason, { type }]) => `${reason}: ${type}`)
    .sort(),
  errors: Object.keys(errorCodes).sort(),
  metrics: Object.entries(metricTable)
    .map(([name, { type, labels }]) => `${name}{${[...labels].sort().join(',')}} ${type}`)
    .sort(),
  fields: parseAllDocuments(readFileSync(new URL('../manifests/base/crd.yaml', import.meta.url), 'utf8'))
    .flatMap((document) => fieldsOfCrd(document.toJS()))
    .sort()
}

function fieldsOfCrd(crd: unknown): readonly string[] {
  const names = fieldAt(crd, 'spec', 'names')
  const kind = stringOf(names, 'kind') ?? ''
  const short = listOf(names, 'shortNames').join(',')
  const head = `${kind} (${stringOf(names, 'plural') ?? ''}, ${short}, ${stringOf(fieldOf(crd, 'spec'), 'scope') ?? ''})`
  return listOf(fieldOf(crd, 'spec'), 'versions').flatMap((version) => {
    const name = stringOf(version, 'name') ?? ''
    const schema = fieldAt(version, 'schema', 'openAPIV3Schema')
    return [`${head} ${name}`, ...fieldsOf(schema, `${kind} ${name} `)]
  })
}

/** Every path below a schema, with its type and the values that it takes: `spec.windows[].duration: string`. */
function fieldsOf(schema: unknown, path: string): readonly string[] {
  const items = fieldOf(schema, 'items')
  if (items !== undefined) return leafOr(items, `${path}[]`)
  const values = fieldOf(schema, 'additionalProperties')
  if (values !== undefined) return leafOr(values, `${path}.*`)
  const properties = fieldOf(schema, 'properties')
  if (!isRecord(properties)) return []
  const join = path.endsWith(' ') ? '' : '.'
  return Object.entries(properties).flatMap(([name, own]) => leafOr(own, `${path}${join}${name}`))
}

function leafOr(schema: unknown, path: string): readonly string[] {
  const below = fieldsOf(schema, path)
  return below.length === 0 ? [`${path}: ${typeOf(schema)}`] : below
}

function typeOf(schema: unknown): string {
  const enumeration = listOf(schema, 'enum')
  if (enumeration.length > 0) return enumeration.map(String).sort().join(' | ')
  if (fieldOf(schema, 'x-kubernetes-int-or-string') === true) return 'integer or string'
  return stringOf(schema, 'type') ?? 'any'
}

if (process.env.TAP_SNAPSHOT === '1') writeFileSync(goldenFile, `${JSON.stringify(surface, null, 2)}\n`)
const golden: Surface = JSON.parse(readFileSync(goldenFile, 'utf8'))

for (const topic of new Set([...Object.keys(surface), ...Object.keys(golden)])) {
  t.test(`names that users rely on stay what they are: ${topic}`, async (t) => {
    t.strictSame(surface[topic], golden[topic])
  })
}

t.test('every label and annotation of ours begins with our prefix', async (t) => {
  const keys = [
    ...Object.values(namespaceLabels),
    ...Object.values(userAnnotations),
    ...Object.values(ownAnnotations),
    ...Object.values(nodeAnnotations)
  ]

  for (const key of [...keys, sliceLabel, repartitioningTaint]) t.ok(key.startsWith(PREFIX), key)
  t.equal(PREFIX, `${API_GROUP}/`)
})

t.test('no key is both a user’s and ours', async (t) => {
  const keys = [...Object.values(userAnnotations), ...Object.values(ownAnnotations)]

  t.equal(new Set(keys).size, keys.length)
})

t.test('every reason says in one sentence what it means', async (t) => {
  for (const [code, { summary }] of Object.entries(reasons)) {
    t.match(code, /^[A-Z][A-Za-z]+$/)
    t.match(summary, /^[A-Z].*[^.]\.$/)
  }
})

t.test('every rule says in one sentence what it refuses, and has no code of a reason', async (t) => {
  for (const [code, { summary }] of Object.entries(rules)) {
    t.match(code, /^[A-Z][A-Za-z]+$/)
    t.match(summary, /^[A-Z].*[^.]\.$/)
    t.notOk(Object.hasOwn(reasons, code), code)
  }
})

t.test('every error code says what went wrong', async (t) => {
  for (const [code, summary] of Object.entries(errorCodes)) {
    t.match(code, /^[A-Z]+(_[A-Z]+)+$/)
    t.match(summary, /^[A-Z].*[^.]$/)
  }
})
