import t from 'tap'
import { byId } from '../../../src/core/plan/by-id.ts'

t.test('[PLAN28] a list comes by id, and stays as it was', (t) => {
  const list = [{ id: 'b' }, { id: 'a' }, { id: 'B' }]

  t.strictSame(byId(list), [{ id: 'B' }, { id: 'a' }, { id: 'b' }])
  t.strictSame(list, [{ id: 'b' }, { id: 'a' }, { id: 'B' }])
  t.end()
})
