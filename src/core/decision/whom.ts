import { namespaceLabels } from '../api/names.ts'
import { type GpuRequest, gpuRequestOf } from '../pod/gpu-request.ts'
import type { ContainerView, PodView } from '../pod/pod-view.ts'
import type { EffectivePolicy } from '../policy/effective-policy.ts'
import { enforcementOf, isSystemNamespace } from '../policy/enforcement.ts'
import type { Refusal } from '../sharing/method.ts'
import { schedulersNamedBy } from './beside-whole.ts'
import type { DecisionInput } from './decision.ts'
import { multiPodJob } from './multi-pod-job.ts'
import { queueMarkOf } from './queued.ts'

/** A container that asks for GPUs in some way, with what it asks for. */
export interface GpuContainer {
  readonly container: ContainerView
  readonly request: Exclude<GpuRequest, { kind: 'none' }>
}

/** The containers of a pod that ask for GPUs. */
export function gpuContainersOf(pod: PodView): readonly GpuContainer[] {
  return pod.containers.flatMap((container) => {
    const request = gpuRequestOf(container)
    return request.kind === 'none' ? [] : { container, request }
  })
}

type Check = (
  input: DecisionInput,
  containers: readonly GpuContainer[],
  /** The policy that governs; absent where none does. */
  policy?: Pick<EffectivePolicy, 'queued'>
) => Refusal | undefined

/** Pods that are none of our business: nothing is written on them. In order; the first that speaks decides. */
const outsideChecks: readonly Check[] = [
  ({ operation, subResource }) =>
    operation === 'CREATE' && subResource === ''
      ? undefined
      : {
          reason: 'NotAPodCreation',
          sentence: `${operation} ${subResource || 'pods'} is not the creation of a pod`
        },
  ({ pod }) =>
    Object.hasOwn(pod.annotations, 'kubernetes.io/config.mirror')
      ? { reason: 'MirrorPod', sentence: 'a kubelet runs this pod from a file' }
      : undefined,
  ({ namespace, settings }) =>
    isSystemNamespace(namespace.name, settings.systemNamespaces)
      ? { reason: 'SystemNamespace', sentence: `namespace ${namespace.name} is a system namespace` }
      : undefined,
  ({ namespace }) =>
    enforcementOf(namespace.labels) === 'off'
      ? {
          reason: 'NamespaceNotOptedIn',
          sentence: `namespace ${namespace.name} has no label ${namespaceLabels.rightsize}=warn or enforce`
        }
      : undefined,
  (_input, containers) =>
    containers.length === 0 ? { reason: 'NoGpuRequest', sentence: 'no container asks for a GPU' } : undefined,
  ({ pod }) =>
    pod.claims.length > 0 || pod.containers.some(({ claims }) => claims.length > 0)
      ? { reason: 'UsesResourceClaim', sentence: 'the pod has resource claims' }
      : undefined,
  (_input, containers) => refuseRequest(containers, 'foreign'),
  (_input, containers) => refuseRequest(containers, 'invalid'),
  (_input, containers) => refuseRequest(containers, 'share')
]

/** Pods of opted-in namespaces that ask for whole GPUs and must keep them, whatever their history says. */
const keepsWholeChecks: readonly Check[] = [
  (_input, containers) => {
    const many = containers.find(({ request }) => request.kind === 'whole' && request.count > 1)
    if (many === undefined || many.request.kind !== 'whole') return undefined
    return {
      reason: 'MultiGpuRequest',
      sentence: `container ${many.container.name} asks for ${many.request.count} GPUs`
    }
  },
  ({ pod, settings, policies }) =>
    otherScheduler(pod, [...settings.schedulers, ...schedulersNamedBy(policies)]),
  (input, _containers, policy) => {
    const sentence = policy?.queued === 'Rewrite' ? undefined : queueMarkOf(input)
    return sentence === undefined ? undefined : { reason: 'QueuedByKueue', sentence }
  },
  ({ pod }, containers) =>
    multiPodJob(
      pod,
      containers.map(({ container }) => container)
    ),
  ({ pod }) => virtualMachine(pod),
  ({ pod }) => pinnedToNode(pod)
]

/** The reason why the pod is none of our business, undefined when it is. */
export function outsideRefusal(
  input: DecisionInput,
  containers: readonly GpuContainer[]
): Refusal | undefined {
  return firstRefusal(outsideChecks, input, containers)
}

/** The reason why the pod must keep its whole GPU whatever it uses, undefined when its use may decide. */
export function keepsWholeRefusal(
  input: DecisionInput,
  containers: readonly GpuContainer[],
  policy?: Pick<EffectivePolicy, 'queued'>
): Refusal | undefined {
  return firstRefusal(keepsWholeChecks, input, containers, policy)
}

function firstRefusal(checks: readonly Check[], ...asked: Parameters<Check>): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(...asked)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refuseRequest(
  containers: readonly GpuContainer[],
  kind: 'foreign' | 'invalid' | 'share'
): Refusal | undefined {
  for (const { container, request } of containers) {
    if (request.kind !== kind) continue
    switch (request.kind) {
      case 'foreign':
        return {
          reason: 'ForeignGpuResource',
          sentence: `container ${container.name} asks for ${request.resource}`
        }
      case 'invalid':
        return {
          reason: 'GpuRequestInvalid',
          sentence: `container ${container.name}: ${request.resource} is no whole number, or request and limit differ`
        }
      case 'share':
        return {
          reason: 'AlreadyASlice',
          sentence: `container ${container.name} asks for ${request.resources.join(' and ')}`
        }
    }
  }
  return undefined
}

/**
 * Marks that other sharing systems, and schedulers of groups of pods, leave on pods; what HAMi notes
 * of a pod that it has placed says nothing of a new one.
 * @source documentation of KAI, Run:ai, HAMi, nos, Volcano, YuniKorn, scheduler-plugins, Koordinator
 */
const otherSystems: readonly { readonly system: string; readonly keys: RegExp }[] = [
  {
    system: 'KAI',
    keys: /^(kai\.scheduler\/|gpu-fraction$|gpu-fraction-num-devices$|gpu-memory$|pod-group-name$)/
  },
  { system: 'Run:ai', keys: /^(run\.ai\/|runai\/|runai-)/ },
  {
    system: 'HAMi',
    keys: /^(hami\.io\/(?!(bind-phase|bind-time|vgpu-node|vgpu-time|vgpu-devices-(to-allocate|allocated))$)|nvidia\.com\/(vgpu-mode|use-gpuuuid|nouse-gpuuuid|use-gputype|nouse-gputype)$)/
  },
  { system: 'nos', keys: /^nos\.nebuly\.com\// },
  { system: 'Volcano', keys: /^(volcano\.sh\/|scheduling\.volcano\.sh\/|scheduling\.k8s\.io\/group-name$)/ },
  { system: 'YuniKorn', keys: /^yunikorn\.apache\.org\// },
  {
    system: 'coscheduling',
    keys: /^(scheduling\.x-k8s\.io\/pod-group$|pod-group\.scheduling\.sigs\.k8s\.io)/
  },
  { system: 'Koordinator', keys: /^((gang|quota)\.)?scheduling\.koordinator\.sh\// }
]

function otherScheduler(pod: PodView, schedulers: readonly string[]): Refusal | undefined {
  if (pod.schedulerName !== undefined && !schedulers.includes(pod.schedulerName)) {
    return { reason: 'ManagedByOtherScheduler', sentence: `schedulerName is ${pod.schedulerName}` }
  }
  const marks = [...marksIn(pod.labels), ...marksIn(pod.annotations)].sort()
  for (const { system, keys } of otherSystems) {
    const mark = marks.find((key) => keys.test(key))
    if (mark !== undefined)
      return { reason: 'ManagedByOtherScheduler', sentence: `${mark} marks a pod of ${system}` }
  }
  return undefined
}

/** Whether a label or annotation says that another system has to do with the pod. */
export function marksOtherSystem(key: string): boolean {
  return anyMark.test(key)
}

/** All marks in one pattern: most pods carry none, and this is asked for every key of every pod. */
const anyMark = new RegExp(otherSystems.map(({ keys }) => keys.source).join('|'))

function marksIn(keyed: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(keyed).filter(marksOtherSystem)
}

function virtualMachine(pod: PodView): Refusal | undefined {
  if (pod.runtimeClassName?.startsWith('kata') === true) {
    return {
      reason: 'VirtualMachine',
      sentence: `runtime class ${pod.runtimeClassName} starts a virtual machine`
    }
  }
  return Object.hasOwn(pod.labels, 'kubevirt.io')
    ? { reason: 'VirtualMachine', sentence: 'label kubevirt.io marks a virtual machine' }
    : undefined
}

function pinnedToNode(pod: PodView): Refusal | undefined {
  if (pod.nodeName !== undefined) return { reason: 'PinnedToNode', sentence: `nodeName is ${pod.nodeName}` }
  if (pod.owner?.kind === 'DaemonSet')
    return { reason: 'PinnedToNode', sentence: `DaemonSet ${pod.owner.name} runs one pod on each node` }
  return pod.nodeTerms?.some((term) => term.fields.length > 0) === true
    ? { reason: 'PinnedToNode', sentence: 'node affinity names a node' }
    : undefined
}
