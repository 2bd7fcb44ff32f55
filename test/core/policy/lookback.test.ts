import t from 'tap'
import { toEffectivePolicy } from '../../../src/core/policy/effective-policy.ts'
import { lookbackDaysOf } from '../../../src/core/policy/lookback.ts'
import { aRawPolicy } from '../../build/policy.ts'

const policy = (lookback: string) => toEffectivePolicy(aRawPolicy({ history: { lookback } }))

for (const { lookbacks, want } of [
  { lookbacks: [], want: 14 },
  { lookbacks: ['3d', '7d12h'], want: 8 },
  { lookbacks: ['60d'], want: 28 },
  { lookbacks: ['never'], want: 14 }
]) {
  t.test(
    `[POL24] policies that ask for ${lookbacks.join(', ') || 'nothing'} are read over ${want} days`,
    async (t) => {
      t.equal(lookbackDaysOf(lookbacks.map(policy)), want)
    }
  )
}
