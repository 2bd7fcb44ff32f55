import t from 'tap'
import { busiest, type ComputeUse } from '../../../src/core/usage/busiest.ts'

const cases: readonly { name: string; uses: readonly ComputeUse[]; want: ComputeUse }[] = [
  { name: 'of nothing there is none', uses: [], want: { peakCompute: undefined } },
  {
    name: 'what was not measured counts for nothing',
    uses: [{ peakCompute: undefined }, { peakCompute: 0, computeMetric: 'A' }],
    want: { peakCompute: 0, computeMetric: 'A' }
  },
  {
    name: 'the highest brings its own metric',
    uses: [
      { peakCompute: 0.2, computeMetric: 'A' },
      { peakCompute: 0.6, computeMetric: 'B' },
      { peakCompute: 0.4, computeMetric: 'C' }
    ],
    want: { peakCompute: 0.6, computeMetric: 'B' }
  },
  {
    name: 'of equal ones the first by name',
    uses: [
      { peakCompute: 0.2, computeMetric: 'B' },
      { peakCompute: 0.2, computeMetric: 'A' }
    ],
    want: { peakCompute: 0.2, computeMetric: 'A' }
  },
  { name: 'a metric that nobody knows', uses: [{ peakCompute: 0.2 }], want: { peakCompute: 0.2 } }
]
for (const { name, uses, want } of cases) {
  t.test(name, async (t) => {
    t.strictSame(busiest(uses), want)
    t.strictSame(busiest(uses.toReversed()), want)
  })
}
