import t from 'tap'
import { greatestDivisor } from '../../../src/core/pack/greatest-divisor.ts'

const cases: readonly (readonly [a: number, b: number, want: number])[] = [
  [900_000, 2_100_000, 300_000],
  [7, 5, 1],
  [0, 4, 4],
  [4, 0, 4],
  [0, 0, 0]
]

for (const [a, b, want] of cases) {
  t.test(`the greatest whole number that divides ${a} and ${b} is ${want}`, (t) => {
    t.equal(greatestDivisor(a, b), want)
    t.end()
  })
}
