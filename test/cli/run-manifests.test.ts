import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { exitCodeOf } from '../../src/cli/exit-code.ts'
import { readDocuments } from '../../src/cli/read-documents.ts'
import { runManifests, runUninstall } from '../../src/cli/run-manifests.ts'

class Sink {
  text = ''
  write(text: string): void {
    this.text += text
  }
}

t.test('prints one file that says how it is applied, the same on every call', async (t) => {
  const [one, other] = [new Sink(), new Sink()]

  await runManifests({ set: [], stdout: one })
  await runManifests({ set: [], stdout: other })

  t.match(
    one.text,
    /^# Everything of Rightslice, .*: kubectl apply -f FILE\napiVersion: v1\nkind: Namespace\n/
  )
  t.equal(one.text, other.text)
  t.match(readDocuments(one.text, 'manifests').at(-1), { metadata: { name: 'rightslice-advice' } })
})

t.test('writes a file where one is named, and nothing else', async (t) => {
  const out = join(t.testdir({}), 'all.yaml')
  const stdout = new Sink()

  await runManifests({ set: ['image=registry.example/rightslice:2'], stdout, out })

  t.equal(stdout.text, '')
  t.match(await readFile(out, 'utf8'), 'image: registry.example/rightslice:2\n')
})

t.test('a value that may not be chosen is wrong usage, and nothing is printed', async (t) => {
  const stdout = new Sink()
  const fault: unknown = await runManifests({ set: ['namespace=x'], stdout }).catch((error: unknown) => error)

  t.equal(exitCodeOf(fault), 2)
  t.equal(stdout.text, '')
})

t.test('the plan of an uninstall is printed', async (t) => {
  const stdout = new Sink()

  await runUninstall(stdout)

  t.match(stdout.text, /^# 1\. Nobody is asked about pods any more/)
})
