import type { ContainerView } from '../pod/pod-view.ts'

/** What marks look at, read once per container. */
interface Traits {
  readonly image: string
  readonly words: readonly string[]
  readonly env: ContainerView['env']
  /** The words and environment values in which a flag can be at all. */
  readonly flagTexts: readonly string[]
}

interface SelfSizingMark {
  readonly program: string
  /** Word of the command line, or variable, that sets the fraction, in its usual spelling. */
  readonly setting: string
  readonly found: (traits: Traits) => boolean
}

interface Usage {
  /** Words of a command line that start the program. */
  readonly words?: RegExp
  /** Images whose entry point is the program. */
  readonly image?: RegExp
}

function flag(program: string, setting: string, usage: Usage = {}): SelfSizingMark {
  const spelt = anySpelling(setting)
  return {
    program,
    setting,
    found: ({ image, words, flagTexts }) =>
      usage.image?.test(image) === true ||
      words.some((word) => usage.words?.test(word) === true) ||
      flagTexts.some((text) => spelt.test(text))
  }
}

/** The whole flag anywhere in a text, with `-` and `_` alike after the two dashes, as the programs' parsers take it. */
function anySpelling(setting: string): RegExp {
  const name = setting.replace(/^--/, '').replace(/[-_]/g, '[-_]')
  return new RegExp(`(?<![\\w-])--${name}(?![\\w-])`)
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
  const traits = traitsOf(container)
  const mark = marks.find(({ found }) => found(traits))
  return mark === undefined ? undefined : { program: mark.program, setting: mark.setting }
}

function traitsOf({ image, words, env }: ContainerView): Traits {
  const flagTexts = [...words, ...Object.values(env)].filter((text) => text.includes('--'))
  return { image, words, env, flagTexts }
}
