import { VISIBLE_DEVICES } from './offending-variables.ts'
import { podRule } from './rule.ts'

/** Without a request, NVIDIA's runtime gives a container every GPU that its image names, and most CUDA images name all. */
export const nvidiaRuntimeWithoutGpu = podRule(
  'NvidiaRuntimeWithoutGpu',
  ({ pod, security, hasGpu, occasion }) => {
    if (pod.runtimeClassName !== 'nvidia' || hasGpu || occasion === 'debug') return undefined
    const isHidden = security.containers.every(({ env }) =>
      env.some(({ name, content }) => name === VISIBLE_DEVICES && content.kind === 'text')
    )
    return isHidden
      ? undefined
      : {
          seen: 'has runtimeClassName nvidia and asks for no GPU; an image that names GPUs gets them',
          wayOut: 'request nvidia.com/gpu, drop the class, or set NVIDIA_VISIBLE_DEVICES to void'
        }
  }
)
