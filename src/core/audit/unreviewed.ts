import { ownAnnotations } from '../api/names.ts'
import { decide } from '../decision/decide.ts'
import type { Decision } from '../decision/decision.ts'
import { marksOf } from '../decision/marks.ts'
import { enforcementOf } from '../policy/enforcement.ts'
import type { RunningPodInput } from './running-pod-input.ts'

/** Time in which API server and webhook hear of a label or a policy, ms. A pod that came within it is not called unreviewed. */
const HEARD_MS = 10_000

/**
 * Whether the rewriting webhook would have left its mark on the pod, and there is none: it came while nobody answered. Only
 * where namespace and policy were provably as they are now when the pod was created.
 */
export function isUnreviewed(input: RunningPodInput): boolean {
  const { pod, namespace, createdMs, optedInMs } = input
  if (enforcementOf(namespace.labels) !== 'enforce') return false
  if (Object.hasOwn(pod.annotations, ownAnnotations.decision) || !isAfter(createdMs, optedInMs)) return false
  const review = reviewOf(input)
  const { policy } = review.evidence
  if (policy === undefined || !isAfter(createdMs, input.policySinceMs(policy))) return false
  return marksOf(review)?.annotations[ownAnnotations.decision] !== undefined
}

function isAfter(createdMs: number, sinceMs: number | undefined): boolean {
  return sinceMs !== undefined && createdMs > sinceMs + HEARD_MS
}

/** A review as of now. Whether marks are left does not depend on what is known of the workload's use. */
function reviewOf({ pod, namespace, settings, policies, nodes, ...input }: RunningPodInput): Decision {
  return decide({
    operation: 'CREATE',
    subResource: '',
    pod: { ...pod, nodeName: undefined },
    readDefeats: () => [],
    namespace,
    settings,
    policies,
    workload: input.workload,
    usage: undefined,
    nodes,
    exemptions: input.exemptions,
    nowMs: input.nowMs
  })
}
