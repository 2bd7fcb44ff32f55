import { readdirSync } from 'node:fs'
import t from 'tap'
import { ruleCodes } from '../../../src/core/api/rules.ts'
import { chain } from '../../../src/core/rules/chain.ts'

t.test('[RULE4] every rule of the table is asked, in its order', async (t) => {
  t.strictSame(
    chain.map(({ code }) => code),
    ruleCodes
  )
})

t.test('every rule has a file and a test of its own name', async (t) => {
  const names = ruleCodes.map((code) =>
    code.replaceAll(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
  )
  const sources = readdirSync(new URL('../../../src/core/rules', import.meta.url))
  const tests = readdirSync(new URL('.', import.meta.url))

  for (const name of names) t.ok(sources.includes(`${name}.ts`) && tests.includes(`${name}.test.ts`), name)
})
