import { readFileSync } from 'node:fs'
import t from 'tap'
import { fieldOf, isRecord } from '../../src/core/json.ts'

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
}

t.test('no package runs a script when it is installed, but those that are named', async (t) => {
  const packages = fieldOf(read('package-lock.json'), 'packages')
  const allowed = Object.keys(Object(fieldOf(read('package.json'), 'allowScripts')))
  const scripted = Object.entries(isRecord(packages) ? packages : {})
    .filter(([, entry]) => fieldOf(entry, 'hasInstallScript') === true)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))

  t.ok(isRecord(packages))
  t.strictSame(scripted, allowed)
})
