import * as z from 'zod'

const ContainerSchema = z.looseObject({
  name: z.string(),
  image: z.string().default(''),
  restartPolicy: z.string().optional()
})

/** The part of a Pod that a kubelet acts on. @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
export const PodSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    deletionTimestamp: z.string().optional(),
    ownerReferences: z.array(z.looseObject({ kind: z.string() })).default([])
  }),
  spec: z.looseObject({
    nodeName: z.string().optional(),
    restartPolicy: z.string().default('Always'),
    containers: z.array(ContainerSchema),
    initContainers: z.array(ContainerSchema).default([])
  }),
  status: z.looseObject({ phase: z.string().optional() }).default({})
})

/** The part of a Pod that a kubelet acts on. */
export type Pod = z.infer<typeof PodSchema>

type Container = z.infer<typeof ContainerSchema>

/** How the containers of a pod end. */
export type Ending = {
  readonly exitCode: number
  /** `Completed`, `Error`, `OOMKilled`; by default it follows from the exit code. */
  readonly reason?: string
}

/** The next thing that a kubelet does for a pod bound to its node. */
type Step = 'run' | 'succeed' | 'terminate' | 'nothing'

/**
 * What comes next for `pod`: run it, let a Job's pod succeed, end one that is being deleted, or nothing.
 * @param finishJobs whether the pods of Jobs succeed by themselves as soon as they run
 */
export function nextStep(pod: Pod, finishJobs: boolean): Step {
  if (pod.metadata.deletionTimestamp !== undefined) return 'terminate'
  const { phase = 'Pending' } = pod.status
  if (phase === 'Pending') return 'run'
  return phase === 'Running' && finishJobs && isOfJob(pod) ? 'succeed' : 'nothing'
}

/** Tells whether the pod has ended for good. */
export function hasEnded(pod: Pod): boolean {
  return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed'
}

function isOfJob(pod: Pod): boolean {
  return (
    pod.spec.restartPolicy !== 'Always' && pod.metadata.ownerReferences.some(({ kind }) => kind === 'Job')
  )
}

/** Status of a pod whose containers all run; ordinary init containers have completed. */
export function runningStatus(pod: Pod, nowIso: string): object {
  return {
    phase: 'Running',
    startTime: nowIso,
    hostIP: '127.0.0.1',
    hostIPs: [{ ip: '127.0.0.1' }],
    podIP: '127.0.0.1',
    podIPs: [{ ip: '127.0.0.1' }],
    conditions: conditions('True', nowIso),
    initContainerStatuses: pod.spec.initContainers.map((container) =>
      container.restartPolicy === 'Always'
        ? running(container, nowIso)
        : terminated(container, { exitCode: 0 }, nowIso)
    ),
    containerStatuses: pod.spec.containers.map((container) => running(container, nowIso))
  }
}

/** Status of a pod whose containers have all ended the same way. */
export function endedStatus(pod: Pod, ending: Ending, nowIso: string): object {
  return {
    phase: ending.exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: conditions('False', nowIso),
    containerStatuses: pod.spec.containers.map((container) => terminated(container, ending, nowIso))
  }
}

function conditions(ready: 'True' | 'False', nowIso: string): readonly object[] {
  const reason = ready === 'True' ? null : 'PodCompleted'
  return [
    { type: 'Initialized', status: 'True', lastTransitionTime: nowIso },
    { type: 'ContainersReady', status: ready, reason, lastTransitionTime: nowIso },
    { type: 'Ready', status: ready, reason, lastTransitionTime: nowIso }
  ]
}

function running({ name, image }: Container, startedAt: string): object {
  return {
    name,
    image,
    imageID: `bed://${image}`,
    containerID: `bed://${name}`,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt } }
  }
}

function terminated({ name, image }: Container, ending: Ending, finishedAt: string): object {
  const { exitCode, reason = exitCode === 0 ? 'Completed' : 'Error' } = ending
  return {
    name,
    image,
    imageID: `bed://${image}`,
    containerID: `bed://${name}`,
    ready: false,
    started: false,
    restartCount: 0,
    state: { terminated: { exitCode, reason, finishedAt } }
  }
}
