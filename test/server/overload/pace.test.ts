import t from 'tap'
import { Pace } from '../../../src/server/overload/pace.ts'

t.test('before anything was measured half a millisecond a review is expected', async (t) => {
  t.equal(new Pace().expectedMs(100), 50)
})

t.test('it follows what is measured', async (t) => {
  const pace = new Pace()

  for (let count = 0; count < 1000; count += 1) pace.measured(2)

  t.ok(Math.abs(pace.expectedMs(1) - 2) < 0.01)
})
