import t from 'tap'
import { riseOfMedians, riseRatio } from './trend.ts'

function samplesOf(values: readonly number[]) {
  return values.map((value, index) => ({ atMs: 1000 + index * 500, value }))
}

const cases = [
  { name: 'nothing', values: [], ratio: 0, medians: 0 },
  { name: 'one sample', values: [7], ratio: 0, medians: 0 },
  { name: 'flat', values: [5, 5, 5, 5, 5, 5, 5, 5], ratio: 0, medians: 0 },
  { name: 'a tenth of the mean more', values: [95, 97.5, 100, 102.5, 105], ratio: 0.1, medians: 10 },
  { name: 'less', values: [105, 102.5, 100, 97.5, 95], ratio: -0.1, medians: -10 },
  { name: 'a spike in the middle', values: [10, 10, 10, 90, 90, 10, 10, 10], ratio: 0, medians: 0 },
  { name: 'only zeros', values: [0, 0, 0], ratio: 0, medians: 0 }
] as const

for (const { name, values, ratio, medians } of cases)
  t.test(`the rise of ${name}`, (t) => {
    t.equal(Number(riseRatio(samplesOf(values)).toFixed(9)), ratio)
    t.equal(riseOfMedians(samplesOf(values)), medians)
    t.end()
  })
