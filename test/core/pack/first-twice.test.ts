import t from 'tap'
import { firstTwice } from '../../../src/core/pack/first-twice.ts'

const cases: readonly { names: readonly string[]; want: string | undefined }[] = [
  { names: [], want: undefined },
  { names: ['a', 'b'], want: undefined },
  { names: ['a', 'b', 'b', 'a'], want: 'b' }
]

for (const { names, want } of cases) {
  t.test(`the first name that is twice in [${names.join()}] is ${want}`, (t) => {
    t.equal(firstTwice(names), want)
    t.end()
  })
}
