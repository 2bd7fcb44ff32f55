import { rules } from '../../src/core/api/rules.ts'
import type { Breach } from '../../src/core/rules/rule.ts'
import { attributionReasons } from '../../src/core/usage/attribution/reasons.ts'
import { noteSentence } from '../../src/core/usage/attribution/tally.ts'
import { type CaseFile, expandVariants, recordOr } from './case-file.ts'
import { runChecks } from './checks.ts'
import { laterKinds } from './later.ts'
import { runParsedChecks } from './parsed-checks.ts'
import { gpuOf, nodesOf, type Outcome, runSubject } from './run-case.ts'
import { subjectsOf } from './subjects.ts'
import { nodesWithUse, type UseInCase, useInCase } from './use-in-case.ts'
import { useSubjects } from './use-subjects.ts'

/** What came of one case, or of one variant of it. */
export interface Verdict {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly result: 'right' | 'wrong' | 'later'
  readonly wanted: string
  readonly got: string
  readonly reasons: string
  readonly resources: string
  /** Why it is wrong, or what makes it later. */
  readonly remarks: readonly string[]
}

/** Judges a case by its decision and by every field of its check. */
export function judge(file: CaseFile): readonly Verdict[] {
  const later = laterKinds[file.kind]
  if (later !== undefined) {
    const wanted = wordsOf(file).join(', ')
    return [
      {
        ...headOf(file),
        result: 'later',
        wanted,
        got: '-',
        reasons: '-',
        resources: '-',
        remarks: [`waits for ${later}`]
      }
    ]
  }
  return expandVariants(file).map(judgeOne)
}

function judgeOne(file: CaseFile): Verdict {
  const words = wordsOf(file)
  try {
    const isParsed = words.every((word) => word === 'parse-policy')
    const use = file.kind === 'e' ? useInCase(file) : undefined
    const nodes = nodesOf(use === undefined ? file : { ...file, nodes: nodesWithUse(file) })
    const subjects = use === undefined ? subjectsOf(file) : useSubjects(file, use)
    const outcomes = isParsed
      ? []
      : subjects.map((subject) => withNotes(runSubject(subject, nodes.index), use))
    const { parsed: _parsed, ...check } = file.check
    const { wrong, later } = runChecks(check, { outcomes, nodes, file, use })
    const all = [...(isParsed ? [] : wrongDecisions(words, outcomes)), ...wrong, ...runParsedChecks(file)]
    const remarks = [...all, ...later.map((field) => `${field}: later`)]
    return verdict(file, { outcomes, right: all.length === 0, remarks })
  } catch (fault) {
    return verdict(file, {
      outcomes: [],
      right: false,
      remarks: [fault instanceof Error ? fault.message : String(fault)]
    })
  }
}

function verdict(
  file: CaseFile,
  { outcomes, right, remarks }: { outcomes: readonly Outcome[]; right: boolean; remarks: readonly string[] }
): Verdict {
  return {
    ...headOf(file),
    result: right ? 'right' : 'wrong',
    wanted: wordsOf(file).join(', '),
    got: outcomes.map(wordFor).join(', ') || (right ? 'as wanted' : '-'),
    reasons: outcomes.map(({ decision }) => decision.reason).join(', ') || '-',
    resources: outcomes.map(({ pod }) => printGpu(pod)).join(' | ') || '-',
    remarks
  }
}

function headOf({ id, kind, title }: CaseFile): Pick<Verdict, 'id' | 'kind' | 'title'> {
  return { id, kind, title }
}

function wordsOf({ expect }: CaseFile): readonly string[] {
  return Array.isArray(expect.decision) ? expect.decision.map(String) : [String(expect.decision)]
}

function wordFor({ decision, verdict }: Outcome): string {
  if (verdict.kind === 'judged' && verdict.refused.length > 0) return 'reject'
  if (decision.kind === 'rewrite') return 'rewrite'
  return verdict.kind === 'judged' && verdict.warned.some(isSure) ? 'allow-with-warning' : 'leave'
}

function isWarned({ verdict }: Outcome): boolean {
  return verdict.kind === 'judged' && verdict.refused.length === 0 && verdict.warned.length > 0
}

/** A rule that only warns unless somebody asks for more tells a doubt, and the pod is left as it is. */
function isSure({ rule }: Breach): boolean {
  return rules[rule].defaultLevel !== 'Warn'
}

/** Words about samples and not about pods: the fields of the check say what has to come out. */
const judgedByPeaks: readonly string[] = ['attribute', 'discard-sample']

/** What is said of a pod, and what its workload's status says of the samples. */
function withNotes(outcome: Outcome, use: UseInCase | undefined): Outcome {
  if (use === undefined) return outcome
  const { attribution, read } = use
  const counted = Object.keys(attribution.discarded).flatMap((code) => [
    code,
    recordOr(attributionReasons)[code]
  ])
  const notes = [...attribution.notes.map(noteSentence), ...counted, ...read.discarded, ...read.unknown]
  return { ...outcome, said: [outcome.said, ...notes].join('\n') }
}

function wrongDecisions(words: readonly string[], outcomes: readonly Outcome[]): readonly string[] {
  if (words.every((word) => judgedByPeaks.includes(word))) return []
  if (outcomes.length === 0) return ['the case holds no pod that could be decided about']
  return outcomes.flatMap((outcome, index) => {
    const want = words.length === 1 ? words[0] : words[index]
    if (want === 'allow-with-warning' && isWarned(outcome)) return []
    return want === wordFor(outcome) || judgedByPeaks.includes(want ?? '')
      ? []
      : [`pod ${index + 1}: want ${want}, got ${wordFor(outcome)} (${outcome.decision.sentence})`]
  })
}

function printGpu(pod: unknown): string {
  return Object.entries(gpuOf(pod))
    .map(
      ([name, keys]) =>
        `${name} ${
          Object.entries(keys)
            .map(([key, count]) => `${key}=${count}`)
            .join('+') || '-'
        }`
    )
    .join(', ')
}
