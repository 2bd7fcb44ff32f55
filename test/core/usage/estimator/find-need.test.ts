import t from 'tap'
import { findNeed, type ShrinkObstacle } from '../../../../src/core/usage/estimator/find-need.ts'
import { defaultSettings } from '../../../../src/core/usage/estimator/settings.ts'
import type { StepUp } from '../../../../src/core/usage/estimator/step-up.ts'
import { aPeak, aScope, DAY } from './build.ts'

const scope = { ...aScope(10), image: 'v1' }
const week = Array.from({ length: 7 }, (_, day) => aPeak({ day: day + 3, peakMiB: 5000 + day }))
const exit: StepUp = { atMs: 9 * DAY, failedMiB: 9984, evidence: 'message', image: 'v1' }

t.test('multiplies the peak of a week by the headroom of the policy', async (t) => {
  const { estimate, look } = findNeed(week, [], scope)

  t.strictSame(estimate, {
    peakMiB: 5006,
    peakAtMs: undefined,
    peakCompute: undefined,
    evidence: 'own',
    neededMiB: 6008,
    headroomFactor: 1.2,
    headroomBasis: 'policy',
    obstacle: undefined,
    stepUp: undefined,
    confidence: {
      cleanBlocks: 7,
      replicas: 1,
      decisions: 0,
      isMatched: false,
      censoredBlocks: 0,
      seasonBlocks: 1
    }
  })
  t.strictSame(look, { peakMiB: 5006, neededMiB: 6008, isBlocked: false, raiseMiB: 6008 })
})

t.test('adds the contexts, the highest compute and the most replicas', async (t) => {
  const peaks = [
    aPeak({ day: 8, peakCompute: 0.2, pods: 4 }),
    aPeak({ day: 9, peakCompute: 0.1, pods: 2 }),
    ...week
  ]

  const { estimate } = findNeed(peaks, [], { ...scope, settings: { ...defaultSettings, contextMiB: 400 } })

  t.match(estimate, { neededMiB: 6408, peakCompute: 0.2, confidence: { replicas: 4 } })
})

const full = aPeak({ day: 9, peakMiB: 9900, cutOffMiB: 9984, onWholeGpu: false })
const reserved = aPeak({ day: 9, peakMiB: 73_000, fillRatio: 0.9 })

const obstacles: readonly {
  name: string
  peaks: Parameters<typeof findNeed>[0]
  stepUps?: readonly StepUp[]
  want: ShrinkObstacle | undefined
  evidence: string
  raiseMiB: number
}[] = [
  { name: 'no block', peaks: [], want: 'no-history', evidence: 'own', raiseMiB: 0 },
  {
    name: 'half a day',
    peaks: [aPeak({ day: 9, coveredRatio: 0.5 })],
    want: 'under-one-season',
    evidence: 'own',
    raiseMiB: 6000
  },
  { name: 'a full slice', peaks: [...week, full], want: 'censored', evidence: 'censored', raiseMiB: 11_981 },
  { name: 'a reservation', peaks: [reserved], want: 'self-sizing', evidence: 'self-sizing', raiseMiB: 0 },
  { name: 'an exit', peaks: week, stepUps: [exit], want: undefined, evidence: 'own', raiseMiB: 9985 },
  {
    name: 'exits in two sizes',
    peaks: week,
    stepUps: [exit, { ...exit, atMs: 8 * DAY, failedMiB: 20_096 }],
    want: 'whole-gpu-after-exits',
    evidence: 'own',
    raiseMiB: Number.POSITIVE_INFINITY
  }
]
for (const { name, peaks, stepUps = [], want, evidence, raiseMiB } of obstacles) {
  t.test(`${name}: ${want ?? 'may shrink'}`, async (t) => {
    const { estimate, look } = findNeed(peaks, stepUps, scope)

    t.strictSame(
      [estimate.obstacle, estimate.evidence, look.raiseMiB, look.isBlocked],
      [want, evidence, raiseMiB, want !== undefined]
    )
  })
}

t.test('an exit asks for more than the share that failed and says so', async (t) => {
  t.match(findNeed(week, [exit], scope).estimate, { neededMiB: 9985, stepUp: exit })
})
