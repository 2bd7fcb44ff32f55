import { kueueMarkIn } from '../pod/kueue-mark.ts'
import type { DecisionInput } from './decision.ts'

/** How it shows that Kueue holds a pod, in words: by what the pod carries, or the object that made it; undefined where it does not. */
export function queueMarkOf({
  pod,
  ownerMark
}: Pick<DecisionInput, 'pod' | 'ownerMark'>): string | undefined {
  const own = kueueMarkIn([...Object.keys(pod.labels), ...Object.keys(pod.annotations), ...pod.gates])
  if (own !== undefined) return `the pod carries ${own}`
  return ownerMark === undefined ? undefined : `${pod.owner?.kind} ${pod.owner?.name} carries ${ownerMark}`
}
