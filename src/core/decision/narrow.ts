import { userAnnotations } from '../api/names.ts'
import type { Candidate } from '../sharing/candidates.ts'
import type { Refusal } from '../sharing/method.ts'
import { methodNamed } from '../sharing/methods.ts'
import type { DecisionInput } from './decision.ts'
import type { Choice } from './fit.ts'
import type { GpuContainer } from './whom.ts'
import type { Wishes } from './wishes.ts'

/** Whether a share is kept apart in hardware. */
export function isApart({ separation }: Candidate): boolean {
  return separation === 'hardware'
}

/** Leaves only what is kept apart in hardware; the others are refused in these words. */
export function onlyApart(choice: Choice, refusal: Refusal): Choice {
  return withhold(choice, (candidate) => (isApart(candidate) ? undefined : refusal))
}

/** `sharing: mig` leaves only what is kept apart in hardware. */
export function narrowBySharing(choice: Choice, { sharing }: Wishes): Choice {
  if (sharing !== 'mig') return choice
  return onlyApart(choice, {
    reason: 'OptedOut',
    sentence: `${userAnnotations.sharing} is mig, and only other shares are offered`
  })
}

/** Leaves what the pod can have by its scheduler and its containers. */
export function narrowByPod(
  choice: Choice,
  input: Pick<DecisionInput, 'pod' | 'settings'>,
  containers: readonly GpuContainer[]
): Choice {
  return withhold(
    choice,
    (candidate) => refuseByScheduler(candidate, input) ?? refuseByContainers(candidate, containers)
  )
}

const DEFAULT_SCHEDULER = 'default-scheduler'

/** A share of one scheduler takes no pod away from another, and the pods of one get no share that others place. */
function refuseByScheduler(
  { method }: Candidate,
  { pod: { schedulerName }, settings }: Pick<DecisionInput, 'pod' | 'settings'>
): Refusal | undefined {
  const own = methodNamed(method).schedulerName
  const allowed = own === undefined ? settings.schedulers : [own, DEFAULT_SCHEDULER]
  if (schedulerName === undefined || allowed.includes(schedulerName)) return undefined
  return { reason: 'ManagedByOtherScheduler', sentence: `schedulerName is ${schedulerName}` }
}

/** What is cut to measure is not counted by container in allocatable: only a pod with one is sure to find it on one node. */
function refuseByContainers(
  { toMeasure, share }: Candidate,
  containers: readonly GpuContainer[]
): Refusal | undefined {
  const isOneApp = containers.length === 1 && containers[0]?.container.role === 'app'
  if (toMeasure !== true || isOneApp) return undefined
  return {
    reason: 'SeveralGpuContainers',
    sentence: `a share ${share} goes to pods whose only GPU container is neither an init container nor a sidecar`
  }
}

function withhold(
  { permitted, refused }: Choice,
  refusalOf: (candidate: Candidate) => Refusal | undefined
): Choice {
  const judged = permitted.map((candidate) => ({ candidate, refusal: refusalOf(candidate) }))
  if (judged.every(({ refusal }) => refusal === undefined)) return { permitted, refused }
  return {
    permitted: judged.flatMap(({ candidate, refusal }) => (refusal === undefined ? candidate : [])),
    refused: [
      ...refused,
      ...judged.flatMap(({ candidate, refusal }) => (refusal === undefined ? [] : { candidate, refusal }))
    ]
  }
}
