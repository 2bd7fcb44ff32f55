import type { NodeRequirement, NodeTerm, PodView, Toleration } from '../pod/pod-view.ts'
import type { NodeView, Taint } from './node-view.ts'

/** Why a pod cannot be placed on a node. */
export type Obstacle =
  | {
      readonly kind: 'selector'
      readonly key: string
      readonly want: string
      readonly have: string | undefined
    }
  | { readonly kind: 'affinity' }
  | { readonly kind: 'taint'; readonly key: string }

/** The part of a pod that decides where it may run. */
export type Placement = Pick<PodView, 'nodeSelector' | 'nodeTerms' | 'tolerations'>

/**
 * The first thing that keeps the pod from the node, undefined when nothing does.
 * Requests, spreading and pod affinity are the scheduler's own; they are not looked at.
 * @source https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */
export function obstacleTo(
  pod: Placement,
  node: Pick<NodeView, 'name' | 'labels' | 'taints'>
): Obstacle | undefined {
  const obstacle = selectorObstacle(pod, node)
  if (obstacle !== undefined) return obstacle
  const taint = node.taints.find((taint) => !toleratesTaint(pod.tolerations, taint))
  return taint === undefined ? undefined : { kind: 'taint', key: taint.key }
}

/** The first thing in node selector and affinity that keeps the pod from the node, undefined when nothing does; taints are not looked at. */
export function selectorObstacle(
  pod: Pick<Placement, 'nodeSelector' | 'nodeTerms'>,
  node: Pick<NodeView, 'name' | 'labels'>
): Obstacle | undefined {
  for (const key of Object.keys(pod.nodeSelector).sort()) {
    const want = pod.nodeSelector[key] ?? ''
    const have = node.labels[key]
    if (have !== want) return { kind: 'selector', key, want, have }
  }
  if (pod.nodeTerms !== undefined && !pod.nodeTerms.some((term) => matchesTerm(term, node)))
    return { kind: 'affinity' }
  return undefined
}

/** Whether every label of `selector` is on the node. */
export function hasLabels(
  node: Pick<NodeView, 'labels'>,
  selector: Readonly<Record<string, string>>
): boolean {
  for (const key of Object.keys(selector)) if (node.labels[key] !== selector[key]) return false
  return true
}

function matchesTerm(term: NodeTerm, node: Pick<NodeView, 'name' | 'labels'>): boolean {
  if (term.expressions.length + term.fields.length === 0) return false
  return (
    term.expressions.every((requirement) => matchesRequirement(requirement, node.labels[requirement.key])) &&
    term.fields.every(
      (requirement) => requirement.key === 'metadata.name' && matchesRequirement(requirement, node.name)
    )
  )
}

function matchesRequirement(requirement: NodeRequirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value)
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return compareWholeNumbers(value, requirement.values[0]) > 0
    case 'Lt':
      return compareWholeNumbers(value, requirement.values[0]) < 0
    default:
      return false
  }
}

/** Sign of left - right; 0 (neither greater nor less) where one of them is no whole number. */
function compareWholeNumbers(left: string | undefined, right: string | undefined): number {
  const numbers = [left, right].map((text) =>
    text !== undefined && /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  )
  return Math.sign((numbers[0] ?? Number.NaN) - (numbers[1] ?? Number.NaN)) || 0
}

/** Whether one of the tolerations lets a pod onto a node with this taint. */
export function toleratesTaint(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint))
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false
  if (toleration.key !== undefined && toleration.key !== taint.key) return false
  const operator = toleration.operator ?? 'Equal'
  if (operator === 'Exists') return true
  return operator === 'Equal' && toleration.key !== undefined && (toleration.value ?? '') === taint.value
}
