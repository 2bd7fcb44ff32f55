import type { PodView } from '../pod/pod-view.ts'
import type { Refusal } from '../sharing/method.ts'

/**
 * Most parts of node selector, affinity and tolerations together that are looked at. People write a dozen; each is compared
 * with every node where they name single nodes, so thirty thousand of them would hold up everybody's pods for seconds.
 */
const MOST_PLACEMENT_PARTS = 200

/** Why the pod's wishes about nodes are not looked at, undefined when they are. */
export function placementRefusal({
  nodeSelector,
  nodeTerms = [],
  tolerations
}: PodView): Refusal | undefined {
  const requirements = nodeTerms.flatMap(({ expressions, fields }) => [...expressions, ...fields])
  const values = requirements.reduce((sum, requirement) => sum + requirement.values.length, 0)
  const selectors = Object.keys(nodeSelector).length
  const parts = selectors + nodeTerms.length + requirements.length + values + tolerations.length
  if (parts <= MOST_PLACEMENT_PARTS) return undefined
  return {
    reason: 'PlacementTooComplex',
    sentence: `node selector, affinity and tolerations have ${parts} parts, more than the ${MOST_PLACEMENT_PARTS} that are looked at`
  }
}
