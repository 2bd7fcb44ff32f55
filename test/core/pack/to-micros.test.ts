import t from 'tap'
import { toMicros } from '../../../src/core/pack/to-micros.ts'

t.test('leaves six digits after the point', (t) => {
  t.equal(toMicros(0.1 + 0.2), 0.3)
  t.equal(toMicros(1.234_567_4), 1.234_567)
  t.equal(toMicros(3 * 0.9), 2.7)
  t.end()
})
