import t from 'tap'
import { isAccepted, isShed, measureOverload } from '../../bench/overload/measure.ts'

/* Its length is that of a test; `npm run bench:overload` is the long form, with figures. */

t.test('far beyond its capacity it answers everything, isolation first, and is itself again', async (t) => {
  const { normal, over, after } = await measureOverload({
    seconds: 3,
    beforeSeconds: 1,
    times: 10,
    connections: 400
  })
  const acceptedOf = (path: string): number =>
    over.answered.filter((answer) => answer.path === path && isAccepted(answer)).length

  t.equal(over.broken, 0, 'every call gets an answer')
  t.ok(
    over.answered.every((answer) => isAccepted(answer) || isShed(answer)),
    'a review, or 503'
  )
  t.ok(acceptedOf('/isolation') > acceptedOf('/rewrite'), 'isolation before rewriting')
  for (const { answered } of [normal, after]) t.ok(answered.length > 0 && answered.every(isAccepted))
})
