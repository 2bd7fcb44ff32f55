import { readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { readChart } from '../../src/cli/run-chart.ts'
import { objectTemplate } from '../../src/install/chart/template.ts'
import { valuesSchema } from '../../src/install/chart/values-schema.ts'
import { parseValues } from '../../src/install/parse-values.ts'

const folder = fileURLToPath(new URL('../../charts/rightslice/', import.meta.url))
const made = await readChart()
const validate = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true }).compile(valuesSchema())

t.test('the committed chart is what the manifests make; "npm run chart" writes it anew', async (t) => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, `${entry.parentPath}/${entry.name}`))

  t.strictSame(files.toSorted(), [...made.keys()].toSorted())
  for (const [path, text] of made) t.equal(readFileSync(`${folder}${path}`, 'utf8'), text, path)
})

t.test(
  'no lookup/genCA: it says the same on every rendering, looks nothing up and makes nothing up',
  async (t) => {
    for (const [path, text] of made)
      t.notMatch(text, /\b(lookup|genCA|genSigned\w*|genPrivateKey|rand\w+|now|uuidv4)\b.*}}/, path)
  }
)

t.test('its values are those of rightslice manifests, with the same defaults', async (t) => {
  const values: unknown = parse(made.get('values.yaml') ?? '')

  t.strictSame(values, parseValues([]))
  t.ok(validate(values), JSON.stringify(validate.errors))
})

for (const { values, why } of [
  { values: { webhookReplicas: 2 }, why: 'too few replicas for a drain' },
  { values: { webhookReplicas: '3' }, why: 'a number as text' },
  { values: { certificates: 'files' }, why: 'files that nobody mounts' },
  { values: { image: 'a b' }, why: 'no name of an image' },
  { values: { namespace: 'x' }, why: 'an unknown value' },
  { values: { settings: { ownNamespace: 'x' } }, why: 'a setting that is bound to the manifests' },
  { values: { settings: { refreshSeconds: 1 } }, why: 'a setting out of its bounds' },
  { values: { settings: { refreshSeconds: 'soon' } }, why: 'a setting that is no number' },
  { values: { settings: { logLevel: 'loud' } }, why: 'a word that a setting does not know' },
  { values: { settings: { prometheusUrl: 'http://u:p@x' } }, why: 'an address with a password' }
])
  t.test(`the schema refuses ${why}`, async (t) => t.notOk(validate(values)))

t.test('what Helm would take for its own is kept as text', async (t) => {
  const object = { kind: 'ConfigMap', data: { text: '{{ .Values.image }}' } }

  const text = objectTemplate({ origin: 'base', file: 'some.yaml', object })

  t.equal(text, '---\nkind: ConfigMap\ndata:\n  text: "{{ "{{" }} .Values.image }}"\n')
})

t.test('an object that a value leaves out stands below its condition', async (t) => {
  const object = { kind: 'NetworkPolicy' }

  t.equal(
    objectTemplate({ origin: 'base', file: 'some.yaml', object }),
    '{{- if .Values.networkPolicy }}\n---\nkind: NetworkPolicy\n{{- end }}\n'
  )
  t.equal(
    objectTemplate({ origin: 'cert-manager', file: 'some.yaml', object }),
    '{{- if not (eq .Values.certificates "managed") }}\n---\nkind: NetworkPolicy\n{{- end }}\n'
  )
})
