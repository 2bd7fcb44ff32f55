import { defaultSettings, type EstimatorSettings } from '../../../src/core/usage/estimator/settings.ts'
import type { Figure } from '../report.ts'
import { type Outcome, type Pooling, replayBaselines, replayOurs, traceSettings } from './replay.ts'
import { CARDS, sizesOf } from './shares.ts'
import { isThereAllDay, readTrace } from './trace.ts'
import { summarize } from './trace-figures.ts'

interface Ours {
  readonly name: string
  readonly pooling: Pooling
  readonly settings: EstimatorSettings
}

/**
 * The trace is one service of some hundred replicas, so the product sees one workload and its goals are about that. Each
 * pod as a workload of its own is the harder question, and what the baselines answer.
 */
const ours: readonly Ours[] = [
  { name: 'rightslice', pooling: 'alike', settings: traceSettings },
  { name: 'rightslice, each pod alone', pooling: 'apart', settings: traceSettings },
  {
    name: 'rightslice, each pod alone, risk 2 %',
    pooling: 'apart',
    settings: { ...traceSettings, riskRatio: 0.02 }
  },
  { name: 'rightslice, replicas of unlike roles', pooling: 'unlike', settings: traceSettings },
  {
    name: 'rightslice, a season of a day',
    pooling: 'alike',
    settings: { ...traceSettings, seasonBlocks: defaultSettings.blockMs / traceSettings.blockMs }
  }
]

/**
 * Replay of GenTD26, forward only: decisions at hours 8 to 18, each judged by the four hours after it. Pods that were there
 * all day, so that every rule answers the same questions.
 */
export function benchTrace(directory: string): readonly Figure[] {
  const trace = readTrace(directory).filter(isThereAllDay)
  return CARDS.flatMap((card) => {
    const sizes = sizesOf(card.id)
    return [
      ...[...replayBaselines(trace, sizes)].flatMap(([name, outcomes]) =>
        figuresOf(card.name, name, outcomes)
      ),
      ...ours.flatMap((variant) => {
        const outcomes = replayOurs(trace, sizes, variant)
        return withGoals(figuresOf(card.name, variant.name, outcomes), variant, card.name)
      })
    ]
  })
}

const PASSED = 'later peak over estimate'
const WORST = 'the same at the worst hour'
const OVER = 'over its slice'
const SHARE = 'GPU share'
const CHANGES = 'size changes'

function figuresOf(card: string, rule: string, outcomes: readonly Outcome[]): readonly Figure[] {
  const result = summarize(outcomes)
  const name = (what: string): string => `${card}, ${rule}: ${what}`
  return [
    { name: name(PASSED), value: result.passedRatio * 100, unit: '%' },
    { name: name(WORST), value: result.worstHourRatio * 100, unit: '%' },
    { name: name(OVER), value: result.overSliceRatio * 100, unit: '%' },
    { name: name(SHARE), value: result.shareRatio, unit: '' },
    { name: name(CHANGES), value: result.changesPerPodDay, unit: '/pod d' }
  ]
}

/** Goals stand beside our estimator as one workload and beside each pod alone; those of slices are about the H200. */
function withGoals(figures: readonly Figure[], { settings, pooling }: Ours, card: string): readonly Figure[] {
  if (settings !== traceSettings || pooling === 'unlike') return figures
  const goals: Readonly<Record<string, number>> = {
    [PASSED]: 1,
    [WORST]: 2,
    [CHANGES]: 0.2,
    ...(card === 'H200' ? { [OVER]: 0, [SHARE]: 0.5 } : {})
  }
  return figures.map((figure) => {
    const goal = goals[figure.name.slice(figure.name.lastIndexOf(': ') + 2)]
    return goal === undefined ? figure : { ...figure, comparison: '<=' as const, goal }
  })
}
