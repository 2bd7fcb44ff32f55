import { namespaceLabels } from '../api/names.ts'
import type { Offer, Refusal, ShareContext } from './method.ts'

/** The lists of a policy that say whose pods may share GPUs in which way, with how a sentence calls it. */
const lists = {
  timeSlicing: { reason: 'TimeSlicingNotListed', what: 'time-slicing' },
  mps: { reason: 'MpsNotListed', what: 'MPS' }
} as const

/**
 * Why a replica may not be used: the policy does not list the namespace, the namespace does not say that it may share, or
 * more pods share the device than the policy allows.
 */
export function refuseReplica(
  list: keyof typeof lists,
  { replicas }: Pick<Offer, 'replicas'>,
  { policy, namespace }: ShareContext
): Refusal | undefined {
  const settings = policy[list]
  const { reason, what } = lists[list]
  if (settings === undefined || !settings.namespaces.includes(namespace.name)) {
    return { reason, sentence: `namespace ${namespace.name} is not in ${list}.namespaces` }
  }
  if (!isSharedOk(namespace.labels)) {
    return {
      reason,
      sentence: `namespace ${namespace.name} is listed for ${what} but lacks the label ${namespaceLabels.isolation}=shared-ok`
    }
  }
  if (replicas <= settings.maxReplicas) return undefined
  return {
    reason: 'TooManyReplicas',
    sentence: `${replicas} replicas share one device, the policy allows ${settings.maxReplicas}`
  }
}

/** Whether a namespace has agreed to GPUs that are shared without separation in hardware. */
export function isSharedOk(labels: ShareContext['namespace']['labels']): boolean {
  return labels[namespaceLabels.isolation] === 'shared-ok'
}
