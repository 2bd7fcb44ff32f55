import { celList } from '../api/cel.ts'
import { celVariables } from './cel-check.ts'
import { harmless, offendingVariables, VISIBLE_DEVICES } from './offending-variables.ts'
import { containerRule } from './rule.ts'
import { showList } from './show.ts'

const names: ReadonlySet<string> = new Set([VISIBLE_DEVICES, 'NVIDIA_IMEX_CHANNELS'])
const wayOut = 'request nvidia.com/gpu in limits and drop the variable, or set it to none or void'

/** Only `void`, `none` or nothing: the pod's value wins over the plugin's, so every other one chooses GPUs by itself. */
export const visibleDevicesOverride = containerRule(
  'VisibleDevicesOverride',
  (container) => {
    const found = offendingVariables(container, names, (text) => harmless.has(text))
    return found.length === 0 ? undefined : { seen: `sets ${showList(found)}`, wayOut }
  },
  { offenders: celVariables(names, `!(e.?value.orValue('') in ${celList(harmless)})`), wayOut }
)
