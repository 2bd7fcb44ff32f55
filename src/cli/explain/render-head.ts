import { reasons } from '../../core/api/reasons.ts'
import { showLine, showName } from '../../core/rules/show.ts'
import type { ExplanationDocument } from './explain-document.ts'
import { label, type Row } from './rows.ts'

/** The first line: what was asked about, and what happens to it. */
export function showHead(document: ExplanationDocument): string {
  const { kind, namespace, name } = document.subject
  return `${showName(`${kind} ${namespace}/${name}`)} · ${showLine(headOf(document))}`
}

function headOf(document: ExplanationDocument): string {
  const { subject, written, reason } = document
  if (subject.kind !== 'Pod') return `a new pod ${outcomeOf(document)}: ${reason}`
  if (written === undefined) return `a pod like it ${outcomeOf(document)}: ${reason}`
  const got =
    written.share === undefined
      ? 'kept what it asked for'
      : `was given ${nameOfShare(written.share)} instead of a whole GPU`
  return `${got}: ${written.decision}`
}

/** `gets mig-1g.5gb instead of a whole GPU`, `keeps its whole GPU`. */
export function outcomeOf({
  decision,
  reason,
  changes,
  proposed,
  isolation,
  containers
}: ExplanationDocument): string {
  if (isolation.refused.length > 0) return 'is refused'
  if (decision === 'rewrite') {
    const count = changes.length === 1 ? 'a whole GPU' : `${changes.length} whole GPUs`
    return `gets ${sharesOf(changes)} instead of ${count}`
  }
  const kept = keptBy({ reason, containers })
  return proposed.length === 0 ? kept : `${kept} and would get ${sharesOf(proposed)}`
}

function sharesOf(changes: ExplanationDocument['changes']): string {
  return [...new Set(changes.map(({ share }) => nameOfShare(share)))].join(' and ')
}

const shareNames: Readonly<Record<string, string>> = {
  shared: 'a replica of a shared GPU',
  gpumem: 'a part of a GPU by HAMi',
  several: 'several shares'
}

function nameOfShare(share: string): string {
  return shareNames[share] ?? share
}

function keptBy({ reason, containers }: Pick<ExplanationDocument, 'reason' | 'containers'>): string {
  if (reasons[reason].marks !== 'written') return 'is left as it is'
  const counts = containers.map(({ asksFor }) => asksFor['nvidia.com/gpu'] ?? 0)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return total > 1 ? `keeps its ${total} whole GPUs` : 'keeps its whole GPU'
}

/** What was decided when the pod was made, and, where that would be another answer now, what it would be. */
export function whyRows(document: ExplanationDocument): readonly Row[] {
  const { subject, written, reason, notices } = document
  const noted = label('note', notices)
  if (subject.kind !== 'Pod' || written === undefined) return [...label('why', nowLines(document)), ...noted]
  const then = label('why', [reasons[written.decision].summary, written.sentence])
  if (written.sameAnswer && !written.evidenceChanged) return [...then, ...noted]
  const now = written.sameAnswer
    ? [`the answer would be the same, by what is known now: ${document.sentence}`]
    : [`it ${wouldOf(document)}: ${reason}`, ...nowLines(document)]
  return [...then, ...label('made anew', now), ...noted]
}

function nowLines({ summary, sentence, isolation: { refused } }: ExplanationDocument): readonly string[] {
  const told = refused.map((breach) => breach.sentence).filter((line) => line !== sentence)
  return [summary, sentence, ...told.map((line) => `refused: ${line}`)]
}

function wouldOf(document: ExplanationDocument): string {
  return outcomeOf(document)
    .replace(/^gets/, 'would get')
    .replace(/^keeps/, 'would keep')
    .replace(/^is/, 'would be')
}
