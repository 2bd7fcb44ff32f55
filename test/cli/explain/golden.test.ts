import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { type ExplainRequest, runExplain } from '../../../src/cli/run-explain.ts'

/*
 * Situations that people ask about, each a cluster and what is asked of it, with the answer as text. `TAP_SNAPSHOT=1` writes the answers
 * anew; read every line that changed as somebody who has never seen the product.
 */
const folder = new URL('../../golden/explain/', import.meta.url)

interface Situation {
  readonly now: string
  readonly args: Pick<ExplainRequest, 'subject' | 'namespace'>
  /** A manifest that is asked about in place of what lives. */
  readonly file?: unknown
  readonly snapshot: unknown
}

async function answer({ now, args, file, snapshot }: Situation): Promise<string> {
  const files: Readonly<Record<string, unknown>> = { 'cluster.json': snapshot, 'workload.json': file }
  const { subject, namespace } = args
  const asked = file === undefined && subject !== undefined ? { subject } : { file: 'workload.json' }
  let text = ''
  await runExplain(
    { ...asked, namespace, snapshot: 'cluster.json', output: 'text' },
    {
      readText: async (path) => JSON.stringify(files[path]),
      readPage: async () => '',
      openCluster: async () => undefined,
      stdout: { write: (part) => (text += part) },
      stderr: { write: (part) => (text += `stderr: ${part}`) },
      settings: { systemNamespaces: ['kube-system'], schedulers: ['default-scheduler'] },
      nowMs: Date.parse(now)
    }
  )
  return text
}

const inputs = readdirSync(folder).filter((name) => name.endsWith('.input.json'))

t.ok(inputs.length >= 20, `${inputs.length} situations`)

for (const input of inputs.sort()) {
  const name = input.replace('.input.json', '')
  t.test(`the answer in the situation ${name}`, async (t) => {
    const situation: Situation = JSON.parse(readFileSync(new URL(input, folder), 'utf8'))
    const want = new URL(`${name}.want.txt`, folder)

    const got = await answer(situation)

    if (process.env['TAP_SNAPSHOT'] === '1') writeFileSync(want, got)
    t.equal(got, readFileSync(want, 'utf8'))
  })
}
