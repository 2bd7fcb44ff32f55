import t from 'tap'
import type { BlockPeak } from '../../../../src/core/usage/estimator/block-peaks.ts'
import { selfSizedShareOf } from '../../../../src/core/usage/estimator/self-sizing-use.ts'
import { aPeak } from './build.ts'

function filled(...ratios: readonly (number | undefined)[]): readonly BlockPeak[] {
  return ratios.map((fillRatio, day) => aPeak({ day, fillRatio }))
}

const cases: readonly { name: string; peaks: readonly BlockPeak[]; want: number | undefined }[] = [
  { name: 'nothing', peaks: [], want: undefined },
  { name: 'flat at 0.75', peaks: filled(0.75, 0.752), want: 0.75 },
  { name: 'flat at 0.885', peaks: filled(0.885, 0.885), want: 0.9 },
  { name: 'flat at 0.935', peaks: filled(0.935), want: 0.92 },
  { name: 'flat at 0.97 of a whole card', peaks: filled(0.97, 0.97), want: 0.98 },
  { name: 'flat elsewhere', peaks: filled(0.6, 0.6), want: undefined },
  { name: 'around 0.9 and moving', peaks: filled(0.89, 0.905), want: undefined },
  { name: 'one day unknown', peaks: filled(0.9, undefined), want: undefined },
  {
    name: 'a slice that is full',
    peaks: [aPeak({ fillRatio: 0.97, cutOffMiB: 9984, onWholeGpu: false })],
    want: undefined
  },
  { name: 'a whole card that is full', peaks: [aPeak({ fillRatio: 0.97, cutOffMiB: 81_152 })], want: 0.98 }
]
for (const { name, peaks, want } of cases) {
  t.test(`${name}: ${want ?? 'no reservation'}`, async (t) => {
    t.equal(selfSizedShareOf(peaks), want)
  })
}
