import { celPod } from './cel-check.ts'
import { VISIBLE_DEVICES } from './offending-variables.ts'
import { podRule } from './rule.ts'

const wayOut = 'request nvidia.com/gpu, drop the class, or set NVIDIA_VISIBLE_DEVICES to void'

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
          wayOut
        }
  },
  {
    offenders: celPod(
      `object.spec.?runtimeClassName.orValue('') == 'nvidia' && !variables.hasGpu && !variables.all.all(c, c.?env.orValue([]).exists(e, e.name == '${VISIBLE_DEVICES}' && !has(e.valueFrom)))`
    ),
    wayOut
  }
)
