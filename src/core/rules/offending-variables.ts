import type { SecurityContainer } from '../pod/security-view.ts'
import { showText } from './show.ts'

/** The variable by which a container names the GPUs that it sees. */
export const VISIBLE_DEVICES = 'NVIDIA_VISIBLE_DEVICES'

/** Variables with which a container manages or watches MIG on the whole node. */
export const migVariables: ReadonlySet<string> = new Set([
  'NVIDIA_MIG_CONFIG_DEVICES',
  'NVIDIA_MIG_MONITOR_DEVICES'
])

/**
 * The exact values that take GPUs away; a list that holds one of them beside a device means different things to different
 * versions of the toolkit.
 * @source NVIDIA container toolkit, user guide: environment variables
 */
export const harmless: ReadonlySet<string> = new Set(['', 'void', 'none'])

/**
 * Entries of a container's environment that a rule forbids, as texts. A field of the pod is one whatever it holds now,
 * since it may change until the container starts; what cannot be seen is not.
 */
export function offendingVariables(
  { env }: SecurityContainer,
  names: ReadonlySet<string>,
  isFine: (text: string, name: string) => boolean
): readonly string[] {
  return env.flatMap(({ name, content }) => {
    if (!names.has(name) || content.kind === 'unseen') return []
    if (content.kind === 'field') return `${name} from ${showText(content.from)}`
    return isFine(content.text, name) ? [] : `${name}=${showText(content.text)}`
  })
}
