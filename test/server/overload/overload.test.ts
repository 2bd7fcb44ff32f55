import t from 'tap'
import { isAccepted, isShed, measureOverload } from '../../bench/overload/measure.ts'

/* Its length is that of a test; `npm run bench:overload` is the long form, with figures. */

t.test('far beyond its capacity it answers everything, isolation first, and is itself again', async (t) => {
  const { normal, over, bystander, inside, after } = await measureOverload({
    seconds: 3,
    beforeSeconds: 1,
    times: 10,
    connections: 400
  })
  const acceptedOf = (path: string): number =>
    over.answered.filter((answer) => answer.path === path && isAccepted(answer)).length

  for (const { broken, wrong } of [normal, over, bystander, after]) {
    t.strictSame({ broken, wrong }, { broken: 0, wrong: 0 }, 'every call gets its review, or a 503')
  }
  t.ok(over.answered.every((answer) => isAccepted(answer) || isShed(answer)))
  t.equal(inside.count, [over, bystander].flatMap(({ answered }) => answered.filter(isShed)).length)
  t.ok(acceptedOf('/isolation') > acceptedOf('/rewrite'), 'isolation before rewriting')
  for (const { answered } of [normal, after]) t.ok(answered.length > 0 && answered.every(isAccepted))
})
