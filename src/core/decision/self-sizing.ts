import type { ContainerView } from '../pod/pod-view.ts'

interface SelfSizingMark {
  readonly program: string
  /** Word of the command line, or variable, that sets the fraction. */
  readonly setting: string
  readonly found: (container: ContainerView) => boolean
}

interface Usage {
  /** Words of a command line that start the program. */
  readonly words?: RegExp
  /** Images whose entry point is the program. */
  readonly image?: RegExp
}

function flag(
  program: string,
  setting: string,
  { words: usedBy, image: usedIn }: Usage = {}
): SelfSizingMark {
  return {
    program,
    setting,
    found: ({ words, image }) =>
      usedIn?.test(image) === true ||
      words.some(
        (word) =>
          word === setting ||
          word.startsWith(`${setting}=`) ||
          word.includes(` ${setting}`) ||
          usedBy?.test(word) === true
      )
  }
}

function variable(program: string, setting: string): SelfSizingMark {
  return { program, setting, found: ({ env }) => Object.hasOwn(env, setting) }
}

/**
 * Programs that take a fraction of whatever device they see, so that their use tells nothing of their need.
 * @source documentation of vLLM, SGLang, TensorRT-LLM, text-generation-inference, JAX, TensorFlow
 */
const marks: readonly SelfSizingMark[] = [
  flag('vLLM', '--gpu-memory-utilization', {
    words: /(^|[\s/])vllm(\s+serve|$)|vllm\.entrypoints/,
    image: /(^|\/)vllm(-openai)?([:@]|$)/
  }),
  flag('SGLang', '--mem-fraction-static', { words: /sglang\.launch_server/, image: /(^|\/)sglang([:@]|$)/ }),
  flag('TensorRT-LLM', '--kv_cache_free_gpu_memory_fraction'),
  flag('text-generation-inference', '--cuda-memory-fraction', {
    words: /text-generation-launcher/,
    image: /(^|\/)text-generation-inference([:@]|$)/
  }),
  variable('JAX', 'XLA_PYTHON_CLIENT_MEM_FRACTION'),
  {
    program: 'JAX',
    setting: 'XLA_PYTHON_CLIENT_PREALLOCATE',
    found: ({ env }) => env.XLA_PYTHON_CLIENT_PREALLOCATE === 'true'
  },
  {
    program: 'TensorFlow',
    setting: 'TF_FORCE_GPU_ALLOW_GROWTH',
    found: ({ env }) => env.TF_FORCE_GPU_ALLOW_GROWTH === 'false'
  }
]

/** Why the container's use is a reservation and not a need, naming the setting; undefined when nothing says so. */
export function selfSizingOf(
  container: ContainerView
): { readonly program: string; readonly setting: string } | undefined {
  const mark = marks.find(({ found }) => found(container))
  return mark === undefined ? undefined : { program: mark.program, setting: mark.setting }
}
