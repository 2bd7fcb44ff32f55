import { podRule } from './rule.ts'

/** MPS and CUDA IPC talk through the shared memory of the node. */
export const hostIpcWithSharedGpu = podRule('HostIpcWithSharedGpu', ({ security, hasSharedGpu, occasion }) =>
  security.hostIpc && hasSharedGpu && occasion !== 'debug'
    ? {
        seen: 'has spec.hostIPC in a pod with a shared GPU; memory of its neighbours comes within reach',
        wayOut: 'drop it; containers of one pod share memory by emptyDir with medium Memory'
      }
    : undefined
)
