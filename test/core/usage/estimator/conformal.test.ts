import fc from 'fast-check'
import t from 'tap'
import { byRatio, conformalFactor, type Ratio } from '../../../../src/core/usage/estimator/conformal.ts'
import { holds } from '../../../property/holds.ts'

function measured(ratios: readonly number[]): readonly Ratio[] {
  return ratios.map((ratio) => ({ ratio, isLowerBound: false })).sort(byRatio)
}

function upTo(count: number): readonly Ratio[] {
  return measured(Array.from({ length: count }, (_, index) => index + 1))
}

const cases: readonly { name: string; sorted: readonly Ratio[]; risk: number; want: number | undefined }[] = [
  { name: 'none', sorted: [], risk: 0.05, want: undefined },
  { name: '18 at 5 %', sorted: upTo(18), risk: 0.05, want: undefined },
  { name: '19 at 5 %', sorted: upTo(19), risk: 0.05, want: 19 },
  { name: '99 at 5 %', sorted: upTo(99), risk: 0.05, want: 95 },
  { name: '98 at 1 %', sorted: upTo(98), risk: 0.01, want: undefined },
  { name: '99 at 1 %', sorted: upTo(99), risk: 0.01, want: 99 }
]
for (const { name, sorted, risk, want } of cases) {
  t.test(`${name}: ${want ?? 'too few'}`, async (t) => {
    t.equal(conformalFactor(sorted, risk), want)
  })
}

t.test('sorts by ratio, a measured one before a lower bound of the same value', async (t) => {
  const bound = { ratio: 1, isLowerBound: true }
  const value = { ratio: 1, isLowerBound: false }
  const low = { ratio: 0.5, isLowerBound: true }

  t.strictSame([bound, value, low].sort(byRatio), [low, value, bound])
})

const ratios = fc.array(fc.double({ min: 0.1, max: 4, noNaN: true }), { maxLength: 60 })
const risks = fc.double({ min: 0.02, max: 0.5, noNaN: true })

t.test('without lower bounds it is the split conformal quantile', async () => {
  holds(
    fc.property(ratios, risks, (values, risk) => {
      const sorted = measured(values)
      const rank = Math.ceil((sorted.length + 1) * (1 - risk) - 1e-7)
      const want = rank > sorted.length ? undefined : sorted[Math.max(0, rank - 1)]?.ratio
      return conformalFactor(sorted, risk) === want
    })
  )
})

t.test('turning a ratio into a lower bound never lowers the factor', async () => {
  holds(
    fc.property(ratios, risks, fc.nat(), (values, risk, pick) => {
      const sorted = measured(values)
      const bounded = sorted.map((ratio, index) =>
        index === pick % sorted.length ? { ...ratio, isLowerBound: true } : ratio
      )
      const factor = conformalFactor(sorted, risk) ?? Number.POSITIVE_INFINITY
      return (conformalFactor(bounded.sort(byRatio), risk) ?? Number.POSITIVE_INFINITY) >= factor
    })
  )
})
