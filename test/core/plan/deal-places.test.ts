import t from 'tap'
import { dealPlaces } from '../../../src/core/plan/deal-places.ts'
import { slotKey } from '../../../src/core/plan/seat.ts'
import { slotsOf } from './order-case.ts'

t.test('[PLAN21] each in turn gets the first place that is left of the profile asked for, or none', (t) => {
  const free = slotsOf('1g.10gb@0 1g.10gb@1 2g.20gb@2')

  const dealt = dealPlaces(
    free,
    ['2g.20gb', '1g.10gb', '2g.20gb', '1g.10gb', '1g.10gb', undefined],
    (ask) => ask
  )

  t.strictSame(
    dealt.map(([ask, place]) => [ask, slotKey(place)]),
    [
      ['2g.20gb', '2g.20gb@2'],
      ['1g.10gb', '1g.10gb@0'],
      ['1g.10gb', '1g.10gb@1']
    ]
  )
  t.equal(free.length, 3)
  t.end()
})
