import { ownAnnotations, sliceLabel } from '../api/names.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import type { PodView } from '../pod/pod-view.ts'
import type { Decision, Rewrite } from './decision.ts'

/** Longest sentence that is written into an annotation, characters. */
const MAX_SENTENCE = 1000

/** What a pod says of us: exactly these, whoever put others there. */
export interface Marks {
  readonly annotations: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
}

/** Value of the slice label where containers got different shares. */
export const SEVERAL = 'several'

/** Keys that nobody but us writes. */
export const reservedKeys = { annotations: Object.values(ownAnnotations), labels: [sliceLabel] } as const

/** The marks that a decided pod carries; undefined when the pod must not be touched at all. */
export function marksOf(decision: Decision): Marks | undefined {
  if (decision.kind === 'rewrite') return rewriteMarks(decision)
  switch (decision.marks) {
    case 'written':
      return { annotations: saying(decision), labels: {} }
    case 'removed':
      return { annotations: {}, labels: {} }
    case 'untouched':
      return undefined
  }
}

/** Whether the pod carries exactly these marks. */
export function carries({ annotations, labels }: PodView, marks: Marks): boolean {
  return (
    reservedKeys.annotations.every((key) => annotations[key] === marks.annotations[key]) &&
    reservedKeys.labels.every((key) => labels[key] === marks.labels[key])
  )
}

/** What the label says of the shares of a pod: `several` where they differ. */
export function labelOf(shares: readonly string[]): string {
  const [share = SEVERAL, ...others] = new Set(shares)
  return others.length === 0 ? share : SEVERAL
}

/** The marks of a pod that gets shares. */
export function rewriteMarks(decision: Rewrite): Marks {
  const { changes } = decision
  const original = changes.map(({ container }) => [container.name, { [WHOLE_GPU]: '1' }])
  return {
    annotations: {
      ...saying(decision),
      [ownAnnotations.originalResources]: JSON.stringify(Object.fromEntries(original))
    },
    labels: { [sliceLabel]: labelOf(changes.map(({ share }) => share)) }
  }
}

function saying({ reason, sentence, evidence }: Decision): Readonly<Record<string, string>> {
  return {
    [ownAnnotations.decision]: reason,
    [ownAnnotations.explain]: shortened(sentence),
    [ownAnnotations.snapshot]: evidence.snapshot
  }
}

/** Cut between characters: half of one would come back from the API server as another text. */
function shortened(sentence: string): string {
  if (sentence.length <= MAX_SENTENCE) return sentence
  const start = sentence.slice(0, MAX_SENTENCE - 1)
  return `${start.replace(/[\uD800-\uDBFF]$/, '')}…`
}
