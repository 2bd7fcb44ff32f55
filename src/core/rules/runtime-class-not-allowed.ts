import { celPattern } from '../api/cel.ts'
import { celPod } from './cel-check.ts'
import { podRule } from './rule.ts'
import { showText } from './show.ts'

/** The runtime for GPUs, and sandboxes that keep more apart and not less. */
const usualClasses = /^(?:nvidia|kata(?:-[\w-]+)?|gvisor|runsc)$/

const wayOut = 'use nvidia, or leave it out'

/** A runtime that nobody vouches for, in a pod with a GPU, or one of NVIDIA's other runtimes anywhere. */
export const runtimeClassNotAllowed = podRule(
  'RuntimeClassNotAllowed',
  ({ pod, hasGpu, occasion }) => {
    const name = pod.runtimeClassName
    if (name === undefined || occasion === 'debug' || usualClasses.test(name)) return undefined
    return hasGpu || name.includes('nvidia')
      ? { seen: `has runtimeClassName ${showText(name)}`, wayOut }
      : undefined
  },
  {
    offenders: celPod(
      `has(object.spec.runtimeClassName) && !object.spec.runtimeClassName.matches(${celPattern(usualClasses.source)}) && (variables.hasGpu || object.spec.runtimeClassName.contains('nvidia'))`
    ),
    wayOut
  }
)
