import t from 'tap'
import { isSameLayout, isSameSeat, slotKey, tellInstances, tellSeat } from '../../../src/core/plan/seat.ts'
import { seatOf, slotOf, slotsOf } from './order-case.ts'

t.test('names slots, seats and layouts', (t) => {
  t.equal(slotKey(slotOf('1g.10gb@4')), '1g.10gb@4')
  t.equal(slotKey(undefined), 'whole')
  t.equal(tellSeat(seatOf('n/c/1g.10gb@4')), 'n/c/1g.10gb@4')
  t.equal(tellSeat(seatOf('n/c/whole')), 'n/c/whole')
  t.equal(tellInstances(slotsOf('3g.40gb@4 1g.10gb@0')), '1g.10gb@0 + 3g.40gb@4')
  t.equal(tellInstances([]), 'uncut')
  t.end()
})

t.test('tells seats and layouts apart', (t) => {
  t.ok(isSameSeat(seatOf('n/c/1g.10gb@4'), seatOf('n/c/1g.10gb@4')))
  t.notOk(isSameSeat(seatOf('n/c/1g.10gb@4'), seatOf('n/c/whole')))
  t.notOk(isSameSeat(seatOf('n/c/1g.10gb@4'), seatOf('n/d/1g.10gb@4')))
  t.ok(isSameLayout(slotsOf('1g.10gb@0'), slotsOf('1g.10gb@0')))
  t.notOk(isSameLayout(slotsOf('1g.10gb@0'), slotsOf('1g.10gb@1')))
  t.end()
})
