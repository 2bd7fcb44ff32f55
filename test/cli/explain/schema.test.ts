import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import t from 'tap'
import { explanationSchema } from '../../../src/cli/explain/explain-document.ts'
import { runExplain } from '../../../src/cli/run-explain.ts'

const committed = readFileSync(new URL('../../../docs/explain.schema.json', import.meta.url), 'utf8')
const situations = new URL('../../golden/explain/', import.meta.url)

t.test('the committed schema is the one of the code; npm run explain-schema writes it', async (t) => {
  t.equal(committed, explanationSchema())
})

async function answer(situation: string): Promise<unknown> {
  const { now, args, file, snapshot } = JSON.parse(readFileSync(new URL(situation, situations), 'utf8'))
  const files: Readonly<Record<string, unknown>> = { cluster: snapshot, workload: file }
  let text = ''
  await runExplain(
    {
      ...(file === undefined ? { subject: args.subject } : { file: 'workload' }),
      namespace: args.namespace,
      snapshot: 'cluster',
      output: 'json'
    },
    {
      readText: async (path) => JSON.stringify(files[path]),
      readPage: async () => '',
      openCluster: async () => undefined,
      stdout: { write: (part) => (text += part) },
      stderr: { write: () => undefined },
      settings: { systemNamespaces: [], schedulers: ['default-scheduler'] },
      nowMs: Date.parse(now)
    }
  )
  return JSON.parse(text)
}

const validate = new Ajv({ strict: false }).compile(JSON.parse(committed))

for (const situation of readdirSync(situations).filter((name) => name.endsWith('.input.json'))) {
  t.test(`the JSON of ${situation} keeps to the committed schema`, async (t) => {
    t.ok(validate(await answer(situation)), JSON.stringify(validate.errors))
  })
}

t.test('an answer with something else than the schema says does not', async (t) => {
  t.notOk(validate({ kind: 'ExplanationList', items: [{ reason: 'Whim' }] }))
})
