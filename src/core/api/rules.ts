/** How strictly a rule acts, as a policy writes it. */
export const ruleLevels = ['Off', 'Warn', 'Enforce'] as const

interface RuleEntry {
  /** Level of the rule where no policy says another. */
  readonly defaultLevel: (typeof ruleLevels)[number]
  /** Whether a pod that breaks it would not be held by a share, so that it is not given one. */
  readonly defeatsShare: boolean
  /** One sentence for lists and docs: what is refused. */
  readonly summary: string
}

/** A pod that breaks it steps around the share that it would be given. */
function bypass(summary: string): RuleEntry {
  return { defaultLevel: 'Enforce', defeatsShare: true, summary }
}

/** The request itself is not one that the namespace may make. */
function request(summary: string): RuleEntry {
  return { defaultLevel: 'Enforce', defeatsShare: false, summary }
}

/** Nothing but a warning until a policy says more. */
function doubt(summary: string): RuleEntry {
  return { defaultLevel: 'Warn', defeatsShare: false, summary }
}

/** For those who want it. */
function wish(summary: string): RuleEntry {
  return { defaultLevel: 'Off', defeatsShare: false, summary }
}

/**
 * Every isolation rule, a promise to users: a code keeps its meaning, and each has a page in `docs/rules/`. No rule has
 * the code of a reason. The order is that in which broken rules are told.
 */
export const rules = {
  SharedGpuNotAllowedHere: request('A pod asks for a shared GPU where GPUs may not be shared.'),
  NamedProfileNotAllowed: wish('A pod asks for a MIG slice of a profile that the policy does not list.'),
  MixedGpuResources: request('A pod asks for whole GPUs and for shares of GPUs at once.'),
  MoreThanOneReplica: request('A container asks for more than one replica of a shared GPU.'),
  RequestNeverMet: wish('A pod asks for a share that no node of the cluster offers.'),

  VisibleDevicesOverride: bypass(
    'A container names the devices that it wants to see by NVIDIA_VISIBLE_DEVICES or NVIDIA_IMEX_CHANNELS.'
  ),
  MigControlVariable: bypass('A container asks to change or to watch the MIG layout of the node.'),
  PreloadIntoToolkit: bypass('A container preloads a file into programs that run on the host.'),
  MpsPipeOverride: bypass(
    'A container with a shared GPU leaves the MPS server, or the limit, that it was given.'
  ),
  UnknownEnvironment: doubt('A variable that decides about GPUs may come from a source that cannot be seen.'),

  DeviceListMount: bypass('A container names the GPUs that it wants to see by the path of a mount.'),
  HostDevicePath: bypass(
    'A volume reaches device files, the driver, MPS or the container runtime of the host.'
  ),
  PluginSocketPath: bypass('A volume reaches the directories in which kubelet meets device plugins.'),
  CdiAnnotation: bypass('An annotation asks the container runtime to inject devices.'),

  PrivilegedWithGpu: bypass('A container of a GPU pod is privileged and sees every GPU of the node.'),
  HostPidWithGpu: bypass('A GPU pod sees the processes of the node.'),
  HostIpcWithSharedGpu: bypass('A pod with a shared GPU uses the shared memory of the node.'),
  RuntimeClassNotAllowed: bypass('A pod chooses a container runtime that may hand out other devices.'),
  NvidiaRuntimeWithoutGpu: doubt(
    'A pod without a GPU uses the runtime that gives an image the GPUs it names.'
  ),
  NodeNameSet: request('A pod names its node and so goes round the scheduler.'),

  ReservedKeyChanged: request('Somebody else writes an annotation or label that only Rightslice writes.')
} as const satisfies Record<string, RuleEntry>

/** One code of the table `rules`. */
export type RuleCode = keyof typeof rules

/** All codes, in the order of the table. */
export const ruleCodes = Object.keys(rules) as readonly RuleCode[]

/** Whether a text is the code of a rule. */
export function isRuleCode(text: string): text is RuleCode {
  return Object.hasOwn(rules, text)
}
