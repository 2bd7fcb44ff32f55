import type { PodView } from './pod-view.ts'

/** Labels that controllers put on pods of one template. */
const templateLabels = [
  'pod-template-hash',
  'rollouts-pod-template-hash',
  'controller-revision-hash',
  'serving.knative.dev/revision',
  'job-name'
] as const

/**
 * What pods of one template have in common, unique within their workload: the hash that their controller gave, else the owner.
 * Pods without either are each a template of their own.
 */
export function templateKeyOf({ labels, owner }: Pick<PodView, 'labels' | 'owner'>, uid: string): string {
  const label = templateLabels.find((key) => (labels[key] ?? '') !== '')
  if (label !== undefined) return labels[label] ?? ''
  return owner?.uid ?? uid
}
