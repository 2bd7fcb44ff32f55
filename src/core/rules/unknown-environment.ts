import { celList } from '../api/cel.ts'
import type { EnvVariable } from '../pod/environment.ts'
import type { SecurityContainer } from '../pod/security-view.ts'
import { fractionMarkOf } from './asks.ts'
import { migVariables, VISIBLE_DEVICES } from './offending-variables.ts'
import { containerRule } from './rule.ts'
import { showList, showText } from './show.ts'

/** Variables whose value decides, so that one that cannot be seen is a doubt. */
const watched: ReadonlySet<string> = new Set([VISIBLE_DEVICES, ...migVariables, 'LD_PRELOAD'])

const wayOut = 'give envFrom a prefix, or name its variables one by one in env'

/**
 * Variables from ConfigMaps, Secrets and files: whether they choose GPUs cannot be seen when the pod is created. KAI hands
 * its fractions on by a ConfigMap, so such pods may use envFrom.
 */
export const unknownEnvironment = containerRule(
  'UnknownEnvironment',
  (container, { pod, security }) => {
    const isKai = pod.schedulerName === 'kai-scheduler' && fractionMarkOf(security) !== undefined
    const named = container.env.flatMap(describe)
    const parts =
      !isKai && takesUnseen(container) ? [...named, 'envFrom, which may hold such a variable'] : named
    return parts.length === 0
      ? undefined
      : {
          seen: `takes ${showList(parts)} (${VISIBLE_DEVICES} and the like cannot be seen there)`,
          wayOut
        }
  },
  { offenders: unseenSources(), wayOut }
)

function describe({ name, content }: EnvVariable): readonly string[] {
  return watched.has(name) && content.kind === 'unseen' ? [`${name} from ${showText(content.from)}`] : []
}

/** Whether envFrom may bring a watched variable: its prefix fits, and no entry of env, which wins, has the name. */
function takesUnseen({ env, unseenPrefixes }: SecurityContainer): boolean {
  if (unseenPrefixes.length === 0) return false
  const given = new Set(env.map(({ name }) => name))
  return [...watched].some(
    (name) => !given.has(name) && unseenPrefixes.some((prefix) => name.startsWith(prefix))
  )
}

function unseenSources(): string {
  const names = celList(watched)
  const isUnseen = `e.name in ${names} && has(e.valueFrom) && !has(e.valueFrom.fieldRef) && !has(e.valueFrom.resourceFieldRef)`
  const mayBring = `w.startsWith(f.?prefix.orValue('')) && !c.env.exists(e, e.name == w)`
  const takes = `!variables.isKai && c.envFrom.exists(f, ${names}.exists(w, ${mayBring}))`
  return `variables.marked.filter(c, c.env.exists(e, ${isUnseen}) || (${takes})).map(c, c.name)`
}
