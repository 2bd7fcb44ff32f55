import t from 'tap'
import { podsOn } from '../../../../src/core/plan/frontier/pods-on.ts'
import { slotsOf } from '../order-case.ts'

t.test('names the pods of a card by start, or the one that has it uncut', (t) => {
  const [first, second, third] = slotsOf('1g.10gb@0 1g.10gb@1 1g.10gb@2')
  if (first === undefined || second === undefined || third === undefined) return t.fail('no slots')
  const instances = [{ placement: first, pod: 'p' }, { placement: second }, { placement: third, pod: 'q' }]

  t.strictSame(podsOn({ id: 'c', instances }), ['p', 'q'])
  t.strictSame(podsOn({ id: 'c', instances: [], wholePod: 'w' }), ['w'])
  t.strictSame(podsOn({ id: 'c', instances: [] }), [])
  return t.end()
})
