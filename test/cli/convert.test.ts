import { readFile } from 'node:fs/promises'
import t from 'tap'
import { convertDocument, runConvert } from '../../src/cli/convert.ts'

const ours = 'rightslice.dev/v1alpha1'

const policy = (apiVersion: string) => `# ours
kind: GpuPolicy
metadata: {name: a}   # flow, and blanks
apiVersion:   ${apiVersion} # foreign
spec:
    mig: { headroom: 20% }
`

t.test('turns the apiVersion of the sample into ours and touches nothing else', async (t) => {
  const text = await readFile(new URL('../fixtures/policies/dc1-mig.yaml', import.meta.url), 'utf8')

  const converted = convertDocument(text)

  t.strictSame(converted, {
    text: text.replace('gpu.example.com/v1', ours),
    changed: [`GpuPolicy/dc1-mig: apiVersion gpu.example.com/v1 is now ${ours}`],
    warnings: []
  })
})

for (const quote of ['', '"', "'"]) {
  t.test(`keeps comments, blanks and the quotes ${quote || 'that are not there'}`, async (t) => {
    const { text } = convertDocument(policy(`${quote}gpu.example.com/v1${quote}`))

    t.equal(text, policy(`${quote}${ours}${quote}`))
  })
}

t.test('handles several documents, other kinds, lists and line ends of Windows', async (t) => {
  const document = (version: string) =>
    [
      '# first',
      'apiVersion: v1',
      'kind: ConfigMap',
      '---',
      `apiVersion: ${version}`,
      'kind: GpuPolicy',
      'metadata: {name: a}',
      'spec: {}',
      '...',
      '---',
      'apiVersion: v1',
      'kind: List',
      'items:',
      `- apiVersion: ${version}`,
      '  kind: GpuPolicy',
      '  metadata: {name: b}',
      '  spec: {}',
      '- text',
      '---',
      '- 1',
      '---',
      ''
    ].join('\r\n')

  const { text, changed, warnings } = convertDocument(document('gpu.example.com/v1'))

  t.equal(text, document(ours))
  t.equal(changed.length, 2)
  t.strictSame(warnings, [])
})

t.test('handles JSON with tabs', async (t) => {
  const json = (version: string) =>
    `{\n\t"apiVersion": "${version}",\n\t"kind": "GpuPolicy",\n\t"metadata": {"name": "a"},\n\t"spec": {}\n}\n`

  t.equal(convertDocument(json('gpu.example.com/v1')).text, json(ours))
})

t.test('leaves our own policies as they are', async (t) => {
  t.strictSame(convertDocument(policy(ours)), { text: policy(ours), changed: [], warnings: [] })
})

t.test('warns about what the API server would refuse', async (t) => {
  const { warnings } = convertDocument(
    policy('x/v1').replace('20%', '0.2').replace('spec:', 'spec:\n    colour: red')
  )

  t.strictSame(warnings, [
    'GpuPolicy/a: spec.mig.headroom: 0.2 is a bare fraction, which the API server refuses; write it as a string: headroom: "0.2"',
    'GpuPolicy/a: spec.colour: "red" is not a field that we know'
  ])
})

t.test('warns where it cannot put the new version in place', async (t) => {
  const [block, alias, missing] = [
    policy('|\n    x/v1'),
    `a: &v x/v1\n${policy('*v')}`,
    policy('').replace(/apiVersion.*\n/, '')
  ].map(convertDocument)

  t.match(block, { changed: [], warnings: [/by hand/] })
  t.match(alias, { changed: [], warnings: [/by hand/, /spec|a: /] })
  t.match(missing, { changed: [], warnings: [/apiVersion is missing/] })
})

t.test('refuses what is neither YAML nor JSON', async (t) => {
  t.throws(() => convertDocument('a: [\n'), { code: 'FILE_INVALID' })
  t.throws(() => convertDocument('a: 1\na: 2\n'), { code: 'FILE_INVALID' })
  t.throws(() => convertDocument('a: *b\n'), { code: 'FILE_INVALID' })
})

t.test('prints the text on stdout and the rest on stderr', async (t) => {
  const run = async (text: string) => {
    const out: string[] = []
    const err: string[] = []
    await runConvert({
      file: 'old.yaml',
      stdout: { write: (line) => out.push(line) },
      stderr: { write: (line) => err.push(line) },
      readFile: async () => text
    })
    return { out, err }
  }

  t.strictSame(await run(policy('x/v1').replace('20%', '0.2')), {
    out: [policy(ours).replace('20%', '0.2')],
    err: [
      `old.yaml: GpuPolicy/a: apiVersion x/v1 is now ${ours}\n`,
      'old.yaml: warning: GpuPolicy/a: spec.mig.headroom: 0.2 is a bare fraction, which the API server refuses; write it as a string: headroom: "0.2"\n'
    ]
  })
  t.strictSame(await run('kind: Pod\n'), { out: ['kind: Pod\n'], err: ['old.yaml: nothing to change\n'] })
})
