import { celPattern } from '../api/cel.ts'
import type { HostVolume } from '../pod/security-view.ts'
import { celPod } from './cel-check.ts'
import { canonicalPath, isEndlessPath } from './host-path.ts'
import { podRule } from './rule.ts'
import { showText } from './show.ts'

const wayOut = 'drop it; containers of one pod share memory by emptyDir with medium Memory'

/** The node's shared memory before its path is cleaned. */
const uncleanFolder = String.raw`^/*(?:\./+)*(?:dev|(?:var/+(?:\./+)*)?run)/+(?:\./+)*shm(?:/|$)`

/** MPS and CUDA IPC talk through the shared memory of the node. */
export const hostIpcWithSharedGpu = podRule(
  'HostIpcWithSharedGpu',
  ({ security, hasSharedGpu, occasion }) => {
    if (!hasSharedGpu || occasion === 'debug') return undefined
    const what = security.hostIpc ? 'spec.hostIPC' : sharedMemoryOf(security.hostVolumes)
    return what === undefined
      ? undefined
      : {
          seen: `has ${what} in a pod with a shared GPU; memory of its neighbours comes within reach`,
          wayOut
        }
  },
  {
    offenders: celPod(
      `variables.hasSharedGpu && (object.spec.?hostIPC.orValue(false) || variables.hostPaths.exists(v, v.path.matches(${celPattern(uncleanFolder)})))`
    ),
    wayOut
  }
)

function isSharedMemory(path: string): boolean {
  return isEndlessPath(path) || /^\/(?:dev|run)\/shm(?:\/|$)/.test(canonicalPath(path))
}

/** The node's shared memory as a volume is the same thing by another name. */
function sharedMemoryOf(volumes: readonly HostVolume[]): string | undefined {
  const found = volumes
    .filter(({ source }) => source === 'hostPath')
    .find(({ paths }) => paths.some(isSharedMemory))
  return found && `the shared memory of the node as volume ${showText(found.name)}`
}
