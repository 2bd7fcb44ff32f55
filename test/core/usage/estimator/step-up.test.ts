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
    name: 'exits in two sizes',
    stepUps: [
      { ...exit, failedMiB: 20_096 },
      { ...exit, atMs: 12 * DAY }
    ],
    day: 30,
    want: { floorMiB: 20_097, wholeGpu: true, because: { ...exit, failedMiB: 20_096 } }
  },
  {
    name: 'two exits in one size',
    stepUps: [exit, { ...exit, atMs: 12 * DAY, failedMiB: 9728 }],
    day: 30,
    want: { floorMiB: 9985, wholeGpu: false, because: exit }
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

t.test('[EST6] an image that is started again and again in one share fails there once', async (t) => {
  const starts = [1, 2, 3, 4, 5, 6].map((minute) => ({ ...exit, atMs: exit.atMs + minute * 60_000 }))
  const larger = { ...exit, atMs: 11 * DAY, failedMiB: 20_096 }
  const again = [1, 2, 3, 4, 5, 6].map((minute) => ({ ...larger, atMs: larger.atMs + minute * 60_000 }))

  const small = starts.reduce<readonly StepUp[]>((all, event) => recordStepUp(all, event, settings), [])
  const both = again.reduce((all, event) => recordStepUp(all, event, settings), small)

  t.strictSame(small, starts.slice(-1))
  t.strictSame(both, [...starts.slice(-1), ...again.slice(-1)])
  t.equal(stepUpFloor(small, { image: 'v1', nowMs: 11 * DAY, settings }).wholeGpu, false)
  t.equal(stepUpFloor(both, { image: 'v1', nowMs: 12 * DAY, settings }).wholeGpu, true)
})

t.test('[EST6] an older event that is told again takes nothing from a newer one', async (t) => {
  const later = { ...weak, atMs: 12 * DAY }

  t.strictSame(recordStepUp([later], weak, settings), [later])
  t.strictSame(recordStepUp([{ ...exit, atMs: 12 * DAY }], exit, settings), [{ ...exit, atMs: 12 * DAY }])
})

t.test('keeps four, exits before full shares, then the newest', async (t) => {
  const exits = [1, 2, 3].map((day) => ({ ...exit, atMs: day * DAY, image: `v${day}` }))
  const full = [20, 40].map((day) => ({ ...weak, atMs: day * DAY }))

  const kept = [...full, ...exits].reduce<readonly StepUp[]>(
    (all, event) => recordStepUp(all, event, settings),
    []
  )

  t.strictSame(kept, [...exits, { ...weak, atMs: 40 * DAY }])
})
