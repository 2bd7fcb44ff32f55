import t from 'tap'
import { methodNames } from '../../../src/core/api/method-names.ts'
import { methodNamed, sharingMethods } from '../../../src/core/sharing/methods.ts'

t.test(
  'every method is found by its name, and each name is one of those that a policy can list',
  async (t) => {
    for (const method of sharingMethods) {
      t.equal(methodNamed(method.name), method)
      t.ok(methodNames.some((name) => name === method.name))
    }
    t.equal(new Set(sharingMethods.map(({ name }) => name)).size, sharingMethods.length)
  }
)
