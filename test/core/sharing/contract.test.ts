import t from 'tap'
import { sharingMethods } from '../../../src/core/sharing/methods.ts'
import { sharingMethodContract } from '../../contract/sharing-method.ts'

for (const method of sharingMethods) {
  t.test(`[SHA19] ${method.name} keeps the contract of sharing methods`, async (t) =>
    sharingMethodContract(t, method)
  )
}
