import t from 'tap'
import { type Headroom, headroomFor } from '../../../../src/core/usage/estimator/headroom.ts'
import type { LearntHeadroom } from '../../../../src/core/usage/estimator/learnt-headroom.ts'
import { defaultSettings } from '../../../../src/core/usage/estimator/settings.ts'

const learnt: LearntHeadroom = {
  riskRatio: 0.05,
  rungs: [
    { fromBlocks: 1, decisions: 5, isMatched: true },
    { fromBlocks: 3, factor: 1.45, decisions: 40, isMatched: true },
    { fromBlocks: 7, factor: 1.1, decisions: 60, isMatched: false }
  ]
}
const nothing = { decisions: 0, isMatched: false }

const cases: readonly {
  name: string
  cleanBlocks: number
  learnt: LearntHeadroom | undefined
  want: Headroom
}[] = [
  {
    name: 'two days, nothing learnt',
    cleanBlocks: 2,
    learnt: undefined,
    want: { factor: 1.5, raiseFactor: 1.2, basis: 'ladder', ...nothing }
  },
  {
    name: 'five days, nothing learnt',
    cleanBlocks: 5,
    learnt: undefined,
    want: { factor: 1.3, raiseFactor: 1.2, basis: 'ladder', ...nothing }
  },
  {
    name: 'a week, nothing learnt',
    cleanBlocks: 7,
    learnt: undefined,
    want: { factor: 1.2, raiseFactor: 1.2, basis: 'policy', ...nothing }
  },
  {
    name: 'half a day, below what is learnt',
    cleanBlocks: 0.5,
    learnt,
    want: { factor: 1.5, raiseFactor: 1.45, basis: 'ladder', ...nothing }
  },
  {
    name: 'two days, too little learnt',
    cleanBlocks: 2,
    learnt,
    want: { factor: 1.5, raiseFactor: 1.45, basis: 'ladder', ...nothing }
  },
  {
    name: 'four days, learnt more than the policy',
    cleanBlocks: 4,
    learnt,
    want: { factor: 1.45, raiseFactor: 1.45, basis: 'learnt', decisions: 40, isMatched: true }
  },
  {
    name: 'a week, learnt less than the policy',
    cleanBlocks: 7,
    learnt,
    want: { factor: 1.2, raiseFactor: 1.2, basis: 'policy', decisions: 60, isMatched: false }
  }
]
for (const { name, cleanBlocks, learnt, want } of cases) {
  t.test(`${name}: ${want.factor} times by ${want.basis}`, async (t) => {
    t.strictSame(headroomFor(cleanBlocks, learnt, defaultSettings), want)
  })
}

t.test('less history never asks for less than what was learnt on more', async (t) => {
  const uneven: LearntHeadroom = {
    riskRatio: 0.05,
    rungs: [
      { fromBlocks: 1, factor: 1.3, decisions: 40, isMatched: true },
      { fromBlocks: 3, factor: 1.7, decisions: 40, isMatched: true },
      { fromBlocks: 7, decisions: 0, isMatched: false }
    ]
  }

  t.equal(headroomFor(2, uneven, defaultSettings).factor, 1.7)
})

t.test('a policy above the ladder wins', async (t) => {
  t.equal(headroomFor(2, undefined, { ...defaultSettings, headroomRatio: 0.6 }).factor, 1.6)
})
