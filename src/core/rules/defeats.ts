import { type RuleCode, rules } from '../api/rules.ts'
import type { PodView } from '../pod/pod-view.ts'
import type { SecurityView } from '../pod/security-view.ts'
import { indexNodes } from '../sharing/node-index.ts'
import { chain } from './chain.ts'
import { breachLine } from './tell.ts'
import { breachesOf, type IsolationInput, levelIn, outsideReason } from './verdict.ts'

/** A rule by whose breach a pod would step around a share; all of the pod that has to be kept for it. */
export interface Defeat {
  readonly rule: RuleCode
  /** Whether it counts only where the GPU is shared with other pods. */
  readonly onlyShared: boolean
  /** What was found first, in one line. */
  readonly sentence: string
}

const defeating = chain.filter(({ code }) => rules[code].defeatsShare)

/** What defeats a share is in the pod alone, whatever nodes there are. */
const noNodes = indexNodes([])

/** What most pods have: one list for all of them. */
const none: readonly Defeat[] = Object.freeze([])

/**
 * The rules that defeat a share and that the pod breaks, each once, in the order of the table. It depends on the pod alone: which of
 * them count is judged by `firstDefeat`, with policy and namespace.
 */
export function defeatsOf(pod: PodView, security: SecurityView): readonly Defeat[] {
  const namespace = { name: pod.namespace, labels: {} }
  const input = { operation: 'CREATE', subResource: '', pod, security, namespace, nodes: noNodes }
  const asShared = breachesOf(input, { policies: [], asked: defeating, asShared: true })
  if (asShared.length === 0) return none
  const asItIs = new Set(breachesOf(input, { policies: [], asked: defeating }).map(({ rule }) => rule))
  const firsts = new Map(asShared.toReversed().map((breach) => [breach.rule, breach]))
  return defeating.flatMap(({ code }) => {
    const breach = firsts.get(code)
    return breach === undefined
      ? []
      : [{ rule: code, onlyShared: !asItIs.has(code), sentence: breachLine(breach) }]
  })
}

/**
 * The first rule by whose breach the pod would step around a share that it is given, at whatever level it is told.
 * @param asShared whether to judge the pod as if its GPU were shared already
 */
export function firstDefeat(
  input: Omit<IsolationInput, 'security'>,
  defeats: readonly Defeat[],
  asShared = false
): Defeat | undefined {
  if (defeats.length === 0 || outsideReason(input) !== undefined) return undefined
  return defeats.find(({ rule, onlyShared }) => (asShared || !onlyShared) && levelIn(rule, input) !== 'off')
}
