import { type RuleCode, ruleCodes } from '../api/rules.ts'
import type { Breach } from '../rules/rule.ts'
import { subjectOf } from '../rules/tell.ts'
import type { ExemptBreach } from '../rules/verdict.ts'

/** Longest sentence about one rule, characters. */
const MAX_SENTENCE = 500

/** One rule that a pod breaks by what it is now, whoever let it in. */
export interface Violation {
  readonly rule: RuleCode
  /** `enforce`: a new pod would be refused for it. `warn`: namespace or policy only warn, the rule itself would refuse. */
  readonly level: 'enforce' | 'warn'
  /** What was seen and the way out; clean and short. */
  readonly sentence: string
}

/** A rule that the pod would break, were there no exemption. */
export interface ExemptRule {
  readonly rule: RuleCode
  readonly exemption: string
}

/** The rules that are lifted, each once, in the order of the table. */
export function exemptRulesOf(exempt: readonly ExemptBreach[]): readonly ExemptRule[] {
  return [...Map.groupBy(exempt, ({ breach }) => breach.rule)].flatMap(([rule, [first]]) =>
    first === undefined ? [] : { rule, exemption: first.exemption }
  )
}

/** The rules that were broken at a level, each once, in the order of the table. */
export function violationsOf(breaches: readonly Breach[], level: Violation['level']): readonly Violation[] {
  return [...Map.groupBy(breaches, ({ rule }) => rule)].map(([rule, own]) => ({
    rule,
    level,
    sentence: sentenceOf(own)
  }))
}

/** The first breach in words; further containers are counted. */
function sentenceOf([first, ...others]: readonly Breach[]): string {
  if (first === undefined) return ''
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  const room = MAX_SENTENCE - more.length
  const { container, seen, wayOut } = first
  const sentence = `${subjectOf(container)} ${seen}; ${wayOut}`
  return `${sentence.length <= room ? sentence : `${sentence.slice(0, room - 3)}...`}${more}`
}

/** In the order of the table of rules. */
export function byRule(a: Violation, b: Violation): number {
  return ruleCodes.indexOf(a.rule) - ruleCodes.indexOf(b.rule)
}
