import { type CaseFile, expandVariants } from './case-file.ts'
import { runChecks } from './checks.ts'
import { laterKinds } from './later.ts'
import { runParsedChecks } from './parsed-checks.ts'
import { gpuOf, nodesOf, type Outcome, runSubject } from './run-case.ts'
import { subjectsOf } from './subjects.ts'

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
    const nodes = nodesOf(file)
    const outcomes = isParsed ? [] : subjectsOf(file).map((subject) => runSubject(subject, nodes.index))
    const { parsed: _parsed, ...check } = file.check
    const { wrong, later } = runChecks(check, { outcomes, nodes })
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

function wordFor({ decision }: Outcome): string {
  return decision.kind === 'rewrite' ? 'rewrite' : 'leave'
}

function wrongDecisions(words: readonly string[], outcomes: readonly Outcome[]): readonly string[] {
  if (outcomes.length === 0) return ['the case holds no pod that could be decided about']
  return outcomes.flatMap((outcome, index) => {
    const want = words.length === 1 ? words[0] : words[index]
    return want === wordFor(outcome)
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
