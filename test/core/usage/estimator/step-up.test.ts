import t from 'tap'
import { defaultSettings as settings } from '../../../../src/core/usage/estimator/settings.ts'
import { recordStepUp, type StepUp, stepUpFloor } from '../../../../src/core/usage/estimator/step-up.ts'
import { DAY } from './build.ts'

const exit: StepUp = { atMs: 10 * DAY, failedMiB: 9984, evidence: 'message', image: 'v1' }
const weak: StepUp = { ...exit, evidence: 'near-ceiling' }

const cases: readonly {
  name: string
  stepUps: readonly StepUp[]
  day: number
  image?: string
  want: { floorMiB: number; wholeGpu: boolean; because: StepUp | undefined }
}[] = [
  { name: 'none', stepUps: [], day: 11, want: { floorMiB: 0, wholeGpu: false, because: undefined } },
  {
    name: 'an exit within the hold',
    stepUps: [exit],
    day: 11,
    want: { floorMiB: 9985, wholeGpu: false, because: exit }
  },
  {
    name: 'an exit long ago',
    stepUps: [exit],
    day: 30,
    want: { floorMiB: 9985, wholeGpu: false, because: exit }
  },
  {
    name: 'an exit of another image within the hold',
    stepUps: [exit],
    day: 16,
    image: 'v2',
    want: { floorMiB: 9985, wholeGpu: false, because: exit }
  },
  {
    name: 'an exit of another image after the hold',
    stepUps: [exit],
    day: 17,
    image: 'v2',
    want: { floorMiB: 0, wholeGpu: false, because: undefined }
  },
  {
    name: 'a full share within the hold',
    stepUps: [weak],
    day: 16,
    want: { floorMiB: 9985, wholeGpu: false, because: weak }
  },
  {
    name: 'a full share after the hold',
    stepUps: [weak],
    day: 17,
    want: { floorMiB: 0, wholeGpu: false, because: undefined }
  },
  {
    name: 'two exits',
    stepUps: [
      { ...exit, failedMiB: 20_096 },
      { ...exit, atMs: 12 * DAY }
    ],
    day: 30,
    want: { floorMiB: 20_097, wholeGpu: true, because: { ...exit, failedMiB: 20_096 } }
  },
  {
    name: 'two exits of two images',
    stepUps: [exit, { ...exit, image: 'v2' }],
    day: 11,
    want: { floorMiB: 9985, wholeGpu: false, because: { ...exit, image: 'v2' } }
  }
]
for (const { name, stepUps, day, image = 'v1', want } of cases) {
  t.test(`${name}: floor ${want.floorMiB}${want.wholeGpu ? ', whole GPU' : ''}`, async (t) => {
    t.strictSame(stepUpFloor(stepUps, { image, nowMs: day * DAY, settings }), want)
  })
}

t.test('keeps the same event once', async (t) => {
  t.strictSame(recordStepUp([exit], exit, settings), [exit])
})

t.test('a share that stays full is one step-up, with the newest time', async (t) => {
  const later = { ...weak, atMs: 12 * DAY }

  t.strictSame(recordStepUp([weak], later, settings), [later])
  t.strictSame(recordStepUp([weak], { ...weak, atMs: 20 * DAY }, settings).length, 2)
})

t.test('keeps four, exits before full shares, then the newest', async (t) => {
  const exits = [1, 2, 3].map((day) => ({ ...exit, atMs: day * DAY }))
  const full = [20, 40].map((day) => ({ ...weak, atMs: day * DAY }))

  const kept = [...full, ...exits].reduce<readonly StepUp[]>(
    (all, event) => recordStepUp(all, event, settings),
    []
  )

  t.strictSame(kept, [...exits, { ...weak, atMs: 40 * DAY }])
})
