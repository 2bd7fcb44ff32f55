import t from 'tap'
import { chooseProfile } from '../../../src/core/candidates/choose-profile.ts'
import { findModelByProductLabel } from '../../../src/core/gpu/catalog.ts'

const model = findModelByProductLabel('NVIDIA-A100-SXM4-40GB')
if (model === undefined) throw new Error('the catalogue does not know the model')

const names = (need: { neededMiB: number; neededCompute?: number }) => {
  const { fit, considered } = chooseProfile(model, { neededCompute: undefined, ...need })
  return { fit, considered: considered.map(({ profile, fits }) => `${profile} ${fits}`) }
}

t.test('the smallest profile that holds the need, and the smaller ones that do not', async (t) => {
  const { fit, considered } = names({ neededMiB: 9000 })

  t.match(fit, { kind: 'slice', profile: '1g.10gb' })
  t.strictSame(considered, ['1g.5gb false', '1g.10gb true'])
})

t.test('of equal memory the one with enough compute', async (t) => {
  const { fit, considered } = names({ neededMiB: 9000, neededCompute: 0.2 })

  t.match(fit, { kind: 'slice', profile: '2g.10gb' })
  t.strictSame(considered, ['1g.5gb false', '1g.10gb false', '2g.10gb true'])
})

t.test('when nothing fits, all were looked at, and the reason tells what was missing', async (t) => {
  const tooLarge = names({ neededMiB: 30_000 })
  const tooBusy = names({ neededMiB: 1000, neededCompute: 0.95 })

  t.strictSame(tooLarge.fit, { kind: 'none', reason: 'PeakTooLarge' })
  t.strictSame(tooBusy.fit, { kind: 'none', reason: 'ComputeTooHigh' })
  t.strictSame(tooLarge.considered, tooBusy.considered)
  t.ok(tooLarge.considered.length >= 5 && tooLarge.considered.every((text) => text.endsWith('false')))
})
