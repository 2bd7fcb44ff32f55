import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { crdYaml, runCrd } from '../../../src/cli/crd.ts'
import { toCustomResourceDefinitions } from '../../../src/core/api/crd.ts'
import { wrongPolicies, wrongStatuses, wrongWorkloads } from '../../fixtures/policies/wrong.ts'

type Json = Readonly<Record<string, unknown>>

/** What ajv can check of a structural schema: unknown keys are refused, text rules are patterns, the rest of CEL is left out. */
function toAjv(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toAjv)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, inner]) => translate(key, inner))
  const done: Json = Object.fromEntries(entries)
  const isClosed =
    'properties' in done && !('additionalProperties' in done) && done['properties'] !== undefined
  return isClosed ? { ...done, additionalProperties: false } : done
}

function translate(key: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (key === 'properties') {
    return [
      [key, Object.fromEntries(Object.entries(value as Json).map(([name, inner]) => [name, toAjv(inner)]))]
    ]
  }
  if (key === 'x-kubernetes-int-or-string') return [['type', ['integer', 'string']]]
  if (key === 'x-kubernetes-validations') {
    const pattern = /matches\(r'(.*)'\)/.exec(JSON.stringify(value))?.[1]
    return pattern === undefined ? [] : [['pattern', pattern]]
  }
  if (key === 'format' || key === 'description' || key.startsWith('x-kubernetes-')) return []
  return [[key, toAjv(value)]]
}

const ajv = new Ajv({ strict: false, allErrors: true })
const definitions = toCustomResourceDefinitions()
const validators = new Map(
  definitions.map(({ spec: { names, versions } }) => {
    const schema = { ...versions[0]?.schema.openAPIV3Schema }
    const { properties } = schema as { properties: Json }
    const open = { ...schema, properties: { ...properties, metadata: {} } }
    return [String(names['kind']), ajv.compile(toAjv(open) as object)]
  })
)

function faultsOf(object: { readonly kind: string }): readonly string[] {
  const validate = validators.get(object.kind)
  if (validate === undefined || validate(object)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

t.test('the committed manifest is fresh', async (t) => {
  const committed = await readFile(new URL('../../../manifests/base/crd.yaml', import.meta.url), 'utf8')

  t.equal(committed, crdYaml(), 'run npm run crd')
})

t.test('prints the manifest, or writes it to a file', async (t) => {
  const written: string[] = []
  const file = `${t.testdir()}/crd.yaml`

  await runCrd({ stdout: { write: (text) => written.push(text) } })
  await runCrd({ out: file, stdout: { write: () => t.fail('nothing on stdout') } })

  t.strictSame(written, [crdYaml()])
  t.equal(await readFile(file, 'utf8'), crdYaml())
})

t.test('kubectl, which reads YAML 1.1, sees no booleans among the words of a field', async (t) => {
  for (const text of crdYaml().split('\n---\n')) {
    t.strictSame(parse(text, { version: '1.1' }), parse(text))
  }
})

t.test('names the kinds as the reference says', async (t) => {
  const names = definitions.map(({ metadata, spec: { scope, names } }) => [
    metadata.name,
    scope,
    names['shortNames'],
    names['categories']
  ])

  t.strictSame(names, [
    ['gpupolicies.rightslice.dev', 'Cluster', ['gpup'], ['rightslice']],
    ['gpuworkloads.rightslice.dev', 'Namespaced', ['gpuw'], ['rightslice']],
    ['gpuexemptions.rightslice.dev', 'Namespaced', ['gpuex'], ['rightslice']]
  ])
})

function undescribed(path: string, schema: unknown): readonly string[] {
  const {
    description,
    properties = {},
    items,
    additionalProperties
  } = { ...(schema as Json) } as {
    description?: string
    properties?: Json
    items?: unknown
    additionalProperties?: unknown
  }
  const own = description === undefined || !description.endsWith('.') ? [path] : []
  const inner = Object.entries(properties).flatMap(([key, value]) => undescribed(`${path}.${key}`, value))
  const rest = [items, additionalProperties].filter((value) => value !== undefined)
  return [...own, ...inner, ...rest.flatMap((value) => undescribed(`${path}[]`, value))]
}

t.test('describes every field in a sentence', async (t) => {
  for (const { spec } of definitions) {
    const { properties } = { ...spec.versions[0]?.schema.openAPIV3Schema } as { properties: Json }
    const { spec: wanted, status } = properties

    t.strictSame([...undescribed('spec', wanted), ...undescribed('status', status)], [])
  }
})

for (const file of [
  'dc1-sharing.yaml',
  'dc1-strict-windows.yaml',
  'every-field.yaml',
  'deployment-reranker.yaml'
]) {
  t.test(`accepts ${file}`, async (t) => {
    const object = parse(await readFile(new URL(`../../fixtures/policies/${file}`, import.meta.url), 'utf8'))

    t.strictSame(faultsOf(object), [])
  })
}

/** Rules between fields, and bounds of the API server's own, which only the bed tries. */
const onlyOnTheServer = new Set([
  'Automatic without a window',
  'window and windows',
  'In without values',
  'Exists with values',
  'method twice',
  'headroom of one',
  'negative whole headroom',
  'negative budget',
  'static without prices'
])

for (const { name, spec, byServer = true } of wrongPolicies) {
  if (byServer && !onlyOnTheServer.has(name)) {
    t.test(`the schema refuses a policy with ${name}`, async (t) => {
      t.not(faultsOf(JSON.parse(JSON.stringify({ kind: 'GpuPolicy', spec }))).length, 0)
    })
  }
}

for (const { name, body } of wrongWorkloads) {
  t.test(`the schema refuses a workload with ${name}`, async (t) => {
    t.not(faultsOf({ kind: 'GpuWorkload', ...body }).length, 0)
  })
}

for (const { name, status } of wrongStatuses) {
  if (name !== 'container twice' && name !== 'time without zone') {
    t.test(`the schema refuses a status with ${name}`, async (t) => {
      const spec = { workloadRef: { kind: 'Job', name: 'a' } }

      t.not(faultsOf({ kind: 'GpuWorkload', spec, status } as { kind: string }).length, 0)
    })
  }
}
