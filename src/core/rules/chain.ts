import { cdiAnnotation } from './cdi-annotation.ts'
import { deviceListMount } from './device-list-mount.ts'
import { hostDevicePath } from './host-device-path.ts'
import { hostIpcWithSharedGpu } from './host-ipc-with-shared-gpu.ts'
import { hostPidWithGpu } from './host-pid-with-gpu.ts'
import { migControlVariable } from './mig-control-variable.ts'
import { mixedGpuResources } from './mixed-gpu-resources.ts'
import { moreThanOneReplica } from './more-than-one-replica.ts'
import { mpsPipeOverride } from './mps-pipe-override.ts'
import { namedProfileNotAllowed } from './named-profile-not-allowed.ts'
import { nodeNameSet } from './node-name-set.ts'
import { nvidiaRuntimeWithoutGpu } from './nvidia-runtime-without-gpu.ts'
import { pluginSocketPath } from './plugin-socket-path.ts'
import { preloadIntoToolkit } from './preload-into-toolkit.ts'
import { privilegedWithGpu } from './privileged-with-gpu.ts'
import { requestNeverMet } from './request-never-met.ts'
import { reservedKeyChanged } from './reserved-key-changed.ts'
import type { Rule } from './rule.ts'
import { runtimeClassNotAllowed } from './runtime-class-not-allowed.ts'
import { sharedGpuNotAllowedHere } from './shared-gpu-not-allowed-here.ts'
import { unknownEnvironment } from './unknown-environment.ts'
import { visibleDevicesOverride } from './visible-devices-override.ts'

/** Every isolation rule, in the order of the table of codes; all are asked, so that all breaches are told together. */
export const chain: readonly Rule[] = [
  sharedGpuNotAllowedHere,
  namedProfileNotAllowed,
  mixedGpuResources,
  moreThanOneReplica,
  requestNeverMet,
  visibleDevicesOverride,
  migControlVariable,
  preloadIntoToolkit,
  mpsPipeOverride,
  unknownEnvironment,
  deviceListMount,
  hostDevicePath,
  pluginSocketPath,
  cdiAnnotation,
  privilegedWithGpu,
  hostPidWithGpu,
  hostIpcWithSharedGpu,
  runtimeClassNotAllowed,
  nvidiaRuntimeWithoutGpu,
  nodeNameSet,
  reservedKeyChanged
]
