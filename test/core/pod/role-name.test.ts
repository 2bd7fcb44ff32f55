import t from 'tap'
import { toRoleName } from '../../../src/core/pod/role-name.ts'

t.test('[POD16] a role that is printable ASCII of at most 253 characters stays as it is', async (t) => {
  for (const role of ['fit', 'gpu-group', 'a "b" (c)', 'x'.repeat(253)]) t.equal(toRoleName(role), role)
})

t.test('[POD16] any other text becomes one, and two texts stay two roles', async (t) => {
  const hostile = ['fit\u001b[31m', 'fit\u001b[32m', 'größe', 'grüße', 'x'.repeat(254), 'x'.repeat(255)]

  const roles = hostile.map(toRoleName)

  t.match(roles[0], /^fit\?\[31m-[0-9a-f]{8}$/)
  for (const role of roles) t.match(role, /^[\x20-\x7e]{1,253}$/)
  t.equal(new Set(roles).size, hostile.length)
  t.strictSame(roles.map(toRoleName), roles, 'once is enough')
})
