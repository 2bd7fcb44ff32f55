import type { ReasonCode } from './reasons.ts'

/**
 * What a user does next to change the outcome of a decision, in one or two lines, most useful first; the page of the reason says more.
 * `NAMESPACE` and `POLICY` stand for those of the pod, `RESTART` for how its controller makes it anew.
 */
export const waysOut: Readonly<Record<ReasonCode, readonly [string, string?]>> = {
  FitsMigProfile: [
    'keep a whole GPU: annotation rightslice.dev/sharing: never on the pod template',
    'ask for more room: annotation rightslice.dev/min-memory: 16Gi, or one size: rightslice.dev/pin: mig-2g.20gb'
  ],
  FitsSharedReplica: [
    'only shares that are separated in hardware: annotation rightslice.dev/sharing: mig on the pod template',
    'keep a whole GPU: annotation rightslice.dev/sharing: never'
  ],
  PinnedToSlice: [
    'let the measured peak decide: remove the annotation rightslice.dev/pin from the pod template',
    'keep a whole GPU: annotation rightslice.dev/sharing: never'
  ],

  NotAPodCreation: ['pods are decided when they are created: RESTART'],
  MirrorPod: ['run it as a Deployment, StatefulSet or Job instead of a static pod'],
  SystemNamespace: ['run the workload in a namespace of its own, and opt that namespace in'],
  NamespaceNotOptedIn: [
    'see what would happen: kubectl label namespace NAMESPACE rightslice.dev/rightsize=warn',
    'let it happen: kubectl label namespace NAMESPACE rightslice.dev/rightsize=enforce --overwrite'
  ],
  NoGpuRequest: ['if it needs a GPU, say so: resources: {limits: {nvidia.com/gpu: 1}}'],
  AlreadyASlice: ['to have the share chosen by the measured peak, ask for nvidia.com/gpu: 1 instead'],
  UsesResourceClaim: ['choose the size in the claim, or drop the claim and ask for nvidia.com/gpu: 1'],
  ForeignGpuResource: [
    'to have the share chosen by the measured peak, ask for nvidia.com/gpu: 1 and nothing else of GPUs'
  ],
  ManagedByOtherScheduler: [
    'if the default scheduler should place the pod, remove schedulerName or the mark from the template',
    'if the other scheduler counts extended resources, an admin adds it to the setting schedulers'
  ],
  QueuedByKueue: [
    'an admin lets the policy size queued pods once the queue covers the shares: admission: {queued: Rewrite}',
    'what the queue needs for it: rightslice check --suggest-kueue'
  ],
  GpuRequestInvalid: ['write a limit that is a whole number: resources: {limits: {nvidia.com/gpu: 1}}'],

  StaleCache: [
    'make the pod again, now that the cluster is heard of: RESTART',
    'why it was silent: kubectl logs -n rightslice-system deployment/rightslice-webhook'
  ],
  NoPolicyMatches: [
    'compare the selectors of the policies with the labels of the nodes: kubectl get gpup; kubectl get nodes --show-labels',
    'check that the pod tolerates the taints of the GPU nodes'
  ],
  PolicyInvalid: ['an admin corrects the field: kubectl edit gpup POLICY'],
  RewriteOff: ['an admin turns it on in the policy: admission: {rewrite: Enforce}, or Warn to only be told'],
  ProposeOnly: [
    'let it happen in the namespace: kubectl label namespace NAMESPACE rightslice.dev/rightsize=enforce --overwrite',
    'let it happen in the policy: mode: Approve, and no admission: {rewrite: Warn}; both must be in place'
  ],
  AnnotationInvalid: ['correct or remove the annotation in the pod template, and let new pods start'],
  OptedOut: [
    'take a share: remove the annotation rightslice.dev/sharing from the pod template, or set it to any'
  ],
  Pinned: ['let the measured peak decide: remove the annotation rightslice.dev/pin from the pod template'],
  Exempt: [
    'let the measured peak decide: delete the exemption or wait until it ends: kubectl get gpuex -n NAMESPACE'
  ],
  PinNotOffered: [
    'pin a share that nodes offer, or remove the annotation rightslice.dev/pin and let the measured peak decide',
    'or give a node a MIG layout with that profile: label nvidia.com/mig.config'
  ],

  PlacementTooComplex: [
    'give the nodes that are meant a label of their own, and select that instead of a long list'
  ],
  MultiGpuRequest: ['if one GPU is enough, ask for nvidia.com/gpu: 1; otherwise nothing needs to be done'],
  MultiPodJob: [
    'if the job has one pod only, run it as a plain Job without WORLD_SIZE',
    'or choose the share in the template yourself: nvidia.com/mig-1g.10gb: 1'
  ],
  VirtualMachine: ['run it under the usual container runtime; otherwise nothing needs to be done'],
  PinnedToNode: ['remove nodeName; for a DaemonSet name the share in its template, if all its nodes have it'],
  BreaksIsolation: [
    'change the pod as the rule says: drop privileged, the variable or the volume',
    'or an admin switches the rule off in the policy: isolationRules'
  ],

  NoHistory: [
    'see what is known: kubectl get gpuw -n NAMESPACE',
    'do not wait for it: annotation rightslice.dev/pin: mig-1g.10gb on the pod template names the share'
  ],
  TooLittleHistory: [
    'wait until enough has been seen: kubectl get gpuw -n NAMESPACE -o wide, column HISTORY',
    'do not wait for it: annotation rightslice.dev/pin: mig-1g.10gb on the pod template names the share'
  ],
  NoPerPodHistoryOnSharedGpu: [
    'measure on a GPU of its own for a while: annotation rightslice.dev/pin: whole-gpu on the pod template',
    'or name the share: rightslice.dev/pin: shared'
  ],
  SelfSizing: [
    'if you know what the program needs, name the share: annotation rightslice.dev/pin: mig-3g.40gb, and set its fraction for it',
    'for JAX turn preallocation off; from then on its use tells its need'
  ],
  CensoredHistory: [
    'let it run in a larger share or a whole GPU until its true peak has been seen',
    'or name a share with more room: annotation rightslice.dev/pin: mig-2g.20gb on the pod template'
  ],
  RanOutOfMemory: [
    'wait: a step up is held for 7 days',
    'or ask for more at once: annotation rightslice.dev/min-memory: 20Gi on the pod template'
  ],
  SizeNotSettled: [
    'wait: sizing.checks in the status of the GpuWorkload shows how many checks have passed',
    'do not wait for it: annotation rightslice.dev/pin: mig-1g.10gb on the pod template names the share'
  ],
  ComputeTooHigh: [
    'if slower is fine, an admin sizes by memory alone in the policy: compute: {fit: Ignore}',
    'for one workload: annotation rightslice.dev/pin: mig-2g.20gb on the pod template'
  ],
  MemoryUnknown: [
    'let GPU feature discovery label the nodes: kubectl get node NAME --show-labels',
    'or name a share that is large enough: annotation rightslice.dev/pin: mig-1g.10gb'
  ],
  PeakTooLarge: [
    'an admin allows or makes larger slices: mig.allowedProfiles of the policy, and the MIG layout of the nodes',
    'or, at your own risk, name a smaller share: annotation rightslice.dev/pin: mig-3g.40gb'
  ],
  MinMemoryTooLarge: [
    'lower or remove the annotation rightslice.dev/min-memory; without it the measured peak decides'
  ],

  SelectorNeverMatches: [
    'select by something that the nodes with shares have too, such as a pool label, or drop the selector',
    'or add the toleration for the taint that is named'
  ],
  ProfileNotAllowed: [
    'an admin adds the profile to the policy: mig: {allowedProfiles: [...]}, or leaves the list out',
    'for one workload: annotation rightslice.dev/pin: mig-1g.10gb on the pod template is not bound by the list'
  ],
  MethodNotAllowed: [
    'an admin adds the method to the policy: methods: [mig-mixed, time-slicing], or leaves methods out'
  ],
  TimeSlicingNotListed: [
    'an admin lists the namespace in the policy: timeSlicing: {namespaces: [NAMESPACE], maxReplicas: 4}',
    'and labels it: kubectl label namespace NAMESPACE rightslice.dev/isolation=shared-ok'
  ],
  MpsNotListed: [
    'an admin lists the namespace in the policy: mps: {namespaces: [NAMESPACE], maxReplicas: 4}',
    'and labels it: kubectl label namespace NAMESPACE rightslice.dev/isolation=shared-ok'
  ],
  HamiNotAllowed: [
    'an admin names the method in the policy: methods: [mig-mixed, hami]',
    'and labels the namespace: kubectl label namespace NAMESPACE rightslice.dev/isolation=shared-ok'
  ],
  NeedsHostIpc: ['share these GPUs by time or cut them into slices, which need no hostIPC'],
  TooManyReplicas: [
    'an admin raises maxReplicas in the policy, or lowers replicas in the device plugin of these nodes'
  ],
  ModelCannotPartition: [
    'let the pod reach nodes with GPUs that can be partitioned: nodeSelector, affinity and tolerations',
    'or share these GPUs by time-slicing, if the namespace may use replicas'
  ],
  NoShareOffered: [
    'see what nodes offer: kubectl get nodes -L nvidia.com/mig.config,nvidia.com/mig.config.state,nvidia.com/mig.strategy',
    'give a node a layout: kubectl label node NODE nvidia.com/mig.config=all-1g.10gb --overwrite'
  ],
  FellBackToWholeGpu: [
    'wait until the time that is named; more nodes with that share, or onMissingCapacity: NextLarger, keep it from coming again',
    "try again at once: take status.fallback out of the workload's GpuWorkload (kubectl patch gpuw --subresource=status)"
  ],
  CanaryPending: [
    'wait: pods that are made after the trial has passed get the share',
    'an admin shortens the trial in the policy: canary.healthyFor or canary.pods'
  ],
  CanaryFailed: [
    'look at the pod that is named; if the share was too small, raise the floor: annotation rightslice.dev/min-memory',
    "if the share had nothing to do with it, take status.canary out of the workload's GpuWorkload (kubectl patch gpuw --subresource=status)"
  ],
  NoFreeSlice: [
    'pods that are made when a share has come free get it: RESTART',
    'an admin lets pods take a larger share or wait, in the policy: onMissingCapacity: NextLarger or Wait'
  ],
  ClaimTemplateMissing: [
    'the controller makes the templates within seconds where pods are rewritten: RESTART',
    'if one of yours has the name that ours would have, rename it: kubectl get resourceclaimtemplates -n NAMESPACE'
  ],
  SeveralGpuContainers: [
    'give one node a layout with all the slices that are needed, for example two of 1g.10gb',
    'or use one GPU container a pod'
  ],
  QuotaWouldBlock: [
    'see the quota: kubectl describe quota -n NAMESPACE',
    'an admin raises it; what belongs to the limit on whole GPUs: rightslice check --suggest-quota'
  ],
  QuotaEscape: [
    'an admin limits the shares too: rightslice check --suggest-quota | kubectl apply -f -',
    'or lets namespaces go beyond, in the policy: admission: {onQuotaEscape: Allow}'
  ],
  LimitRangeWouldBlock: [
    'see it: kubectl describe limitrange -n NAMESPACE',
    'an admin replaces the bound on nvidia.com/gpu by a quota, which counts and does not demand'
  ],

  DecisionFailed: [
    "look at the webhook's log: kubectl logs -n rightslice-system deployment/rightslice-webhook"
  ],
  WebhookWasDown: ['make the pod again, now that the webhook is there: RESTART']
}

/** Kinds that `kubectl rollout restart` knows. */
const restartable: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet'])

/** How the pods of a workload are made anew, as a command or in words; undefined stands for a bare pod. */
export function restartOf(
  namespace: string,
  workload: { readonly kind: string; readonly name: string } | undefined
): string {
  if (workload === undefined) return 'delete the pod and create it again'
  const { kind, name } = workload
  return restartable.has(kind)
    ? `kubectl rollout restart ${kind.toLowerCase()}/${name} -n ${namespace}`
    : `delete the pod, and its ${kind} makes a new one`
}

/** The ways out of a reason, with the names of the pod in place; where no policy is known, its placeholder stays. */
export function waysOutFor(
  reason: ReasonCode,
  names: { readonly namespace: string; readonly restart: string; readonly policy?: string | undefined }
): readonly string[] {
  return waysOut[reason].flatMap((line) =>
    line === undefined
      ? []
      : line
          .replaceAll(/\bNAMESPACE\b/g, () => names.namespace)
          .replaceAll(/\bRESTART\b/g, () => names.restart)
          .replaceAll(/\bPOLICY\b/g, () => names.policy ?? 'POLICY')
  )
}
