/** What happened to the pod: changed, or left as it was. */
export type ReasonOutcome = 'changed' | 'kept'

/**
 * What happens to our own annotations and label on the pod: written, so that the reason can be read there; removed where
 * somebody else put them; or left alone, because the pod must not be touched at all.
 */
export type MarkHandling = 'written' | 'removed' | 'untouched'

interface ReasonEntry {
  readonly outcome: ReasonOutcome
  readonly marks: MarkHandling
  /** One sentence for lists and docs. */
  readonly summary: string
}

function changed(summary: string): ReasonEntry {
  return { outcome: 'changed', marks: 'written', summary }
}

function kept(summary: string): ReasonEntry {
  return { outcome: 'kept', marks: 'written', summary }
}

/** The pod asks for nothing that could be changed, so nothing is said on it. */
function notOurs(summary: string): ReasonEntry {
  return { outcome: 'kept', marks: 'removed', summary }
}

function outOfBounds(summary: string): ReasonEntry {
  return { outcome: 'kept', marks: 'untouched', summary }
}

/**
 * Every reason code, a promise to users: a code keeps its meaning, and each has a page in `docs/reasons/`.
 * The order is that of the checks: who is looked at, then evidence, then what is offered.
 */
export const reasons = {
  FitsMigProfile: changed('The smallest MIG slice that holds the measured peak plus headroom was chosen.'),
  FitsSharedReplica: changed('A share of a GPU that holds the measured peak plus headroom was chosen.'),
  PinnedToSlice: changed('The share that the pod names in its pin annotation was chosen.'),

  NotAPodCreation: outOfBounds('Only pods that are being created can be changed.'),
  MirrorPod: outOfBounds('A mirror pod only shows what a kubelet runs from a file.'),
  SystemNamespace: outOfBounds('Pods of system namespaces are never changed.'),
  NamespaceNotOptedIn: outOfBounds('The namespace has not opted in.'),
  NoGpuRequest: notOurs('No container asks for nvidia.com/gpu.'),
  AlreadyASlice: notOurs('The pod already asks for a share of a GPU, so its user has chosen.'),
  UsesResourceClaim: notOurs('The pod gets its device through a resource claim.'),
  ForeignGpuResource: notOurs('The pod asks for a resource of another GPU sharing system.'),
  ManagedByOtherScheduler: kept('Another scheduler places this pod and counts its GPUs.'),
  QueuedByKueue: kept('Kueue has counted this pod by the GPU that it asks for.'),
  GpuRequestInvalid: notOurs('The GPU request is not one that the API server accepts.'),

  StaleCache: kept('Nothing has been heard of the cluster for too long to rewrite by what is remembered.'),
  NoPolicyMatches: kept('No policy governs this namespace on a node that the pod can reach.'),
  PolicyInvalid: kept('The policy that would govern this pod holds a value that is not allowed.'),
  RewriteOff: kept('The policy has rewriting switched off.'),
  ProposeOnly: kept('A smaller share fits, but this namespace or policy only proposes.'),
  AnnotationInvalid: kept('An annotation of the pod has a value that is not allowed.'),
  OptedOut: kept('The pod asks not to be given a share.'),
  Pinned: kept('The pod is pinned to a whole GPU.'),
  Exempt: kept('An exemption lets the workload keep whole GPUs for now.'),
  PinNotOffered: kept('The share that the pod is pinned to is not offered on a node that it can reach.'),

  PlacementTooComplex: kept('The pod says where it may run in more terms than are looked at.'),
  MultiGpuRequest: kept('A container asks for more than one GPU.'),
  MultiPodJob: kept('The pod is one rank of a job that spans several pods.'),
  VirtualMachine: kept('The pod runs in a virtual machine, which takes a whole device.'),
  PinnedToNode: kept('The pod is bound to one node.'),
  BreaksIsolation: kept('The pod breaks an isolation rule, so a share would not hold it.'),

  NoHistory: kept('No use of GPU memory is known for this workload and container.'),
  TooLittleHistory: kept('The history covers less time than the policy asks for.'),
  NoPerPodHistoryOnSharedGpu: kept('The history comes from a shared GPU and cannot be told apart by pod.'),
  SelfSizing: kept('The program takes a fixed fraction of the device, so its use does not tell its need.'),
  CensoredHistory: kept(
    'The peak reached the ceiling of the share that it ran in, so the need may be larger.'
  ),
  RanOutOfMemory: kept(
    'The program ran out of GPU memory in smaller shares, so its workload keeps whole GPUs for a while.'
  ),
  SizeNotSettled: kept('A smaller share would fit, but its size has not held for long enough yet.'),
  ComputeTooHigh: kept('The program keeps more of the compute units busy than a smaller share has.'),
  MemoryUnknown: kept('The memory of the shares that are offered is not known.'),
  PeakTooLarge: kept('The measured peak plus headroom fits no share that is offered.'),
  MinMemoryTooLarge: kept('The least memory that the pod asks for fits no share that is offered.'),

  SelectorNeverMatches: kept('The pod selects nodes that offer no share, and those that do it cannot reach.'),
  ProfileNotAllowed: kept('Slices are offered, but none of a profile that the policy allows.'),
  MethodNotAllowed: kept('Shares are offered, but none by a method that the policy allows.'),
  TimeSlicingNotListed: kept('Only time-sliced replicas are offered, and the namespace may not use them.'),
  MpsNotListed: kept('Only MPS replicas are offered, and the namespace may not use them.'),
  HamiNotAllowed: kept('Only shares by HAMi are offered, and policy or namespace do not allow them.'),
  NeedsHostIpc: kept(
    'The replicas that are offered serve only pods that use the IPC namespace of their node.'
  ),
  ClaimTemplateMissing: kept(
    'Shares are offered by resource claims, and the namespace has no template for them.'
  ),
  TooManyReplicas: kept('A GPU is shared by more replicas than the policy allows.'),
  ModelCannotPartition: kept('No GPU that the pod can reach can be partitioned or is shared.'),
  NoShareOffered: kept('No ready node that the pod can reach offers a share.'),
  FellBackToWholeGpu: kept(
    'Pods of the workload waited for their share for too long, so it gets whole GPUs for a while.'
  ),
  CanaryPending: kept(
    'Other pods of the workload try the share first; this one follows when they stay healthy.'
  ),
  CanaryFailed: kept('The first pods with the share did not stay healthy, so it is not given for a while.'),
  NoFreeSlice: kept('Every share that fits and may be used is taken.'),
  SeveralGpuContainers: kept('No single node offers what all GPU containers of the pod need.'),
  QuotaWouldBlock: kept('A quota of the namespace has no room for the share that fits.'),
  QuotaEscape: kept('A quota counts the whole GPUs of the namespace, and none would count the share.'),
  LimitRangeWouldBlock: kept('A LimitRange of the namespace would have the pod refused with the share.'),

  DecisionFailed: outOfBounds('Deciding failed, so the pod was left as it was.'),
  WebhookWasDown: outOfBounds('The pod was created while no webhook answered, so nothing was decided.')
} as const satisfies Record<string, ReasonEntry>

/** One code of the table `reasons`. */
export type ReasonCode = keyof typeof reasons

/** Whether a text is one of the codes. */
export function isReasonCode(text: string): text is ReasonCode {
  return Object.hasOwn(reasons, text)
}

/** Whether a text is a code of a pod that was changed. */
export function isChangedReason(text: string | undefined): boolean {
  return text !== undefined && isReasonCode(text) && reasons[text].outcome === 'changed'
}

/** All codes, in the order of the table. */
export const reasonCodes = Object.keys(reasons) as readonly ReasonCode[]
