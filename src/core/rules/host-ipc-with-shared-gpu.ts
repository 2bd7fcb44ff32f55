import { celPod } from './cel-check.ts'
import { podRule } from './rule.ts'

const wayOut = 'drop it; containers of one pod share memory by emptyDir with medium Memory'

/** MPS and CUDA IPC talk through the shared memory of the node. */
export const hostIpcWithSharedGpu = podRule(
  'HostIpcWithSharedGpu',
  ({ security, hasSharedGpu, occasion }) =>
    security.hostIpc && hasSharedGpu && occasion !== 'debug'
      ? {
          seen: 'has spec.hostIPC in a pod with a shared GPU; memory of its neighbours comes within reach',
          wayOut
        }
      : undefined,
  { offenders: celPod('object.spec.?hostIPC.orValue(false) && variables.hasSharedGpu'), wayOut }
)
