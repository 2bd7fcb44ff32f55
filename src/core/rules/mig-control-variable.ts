import { celList } from '../api/cel.ts'
import type { SecurityContainer } from '../pod/security-view.ts'
import { celVariables } from './cel-check.ts'
import { harmless, migVariables, offendingVariables } from './offending-variables.ts'
import { containerRule } from './rule.ts'
import { showList } from './show.ts'

const wayOut = 'drop them; the layout of a node is for its administrator'

/**
 * Variables with which a container manages or watches MIG on the whole node.
 * @source NVIDIA container toolkit, README of nvidia-container-runtime
 */
export const migControlVariable = containerRule(
  'MigControlVariable',
  (container) => {
    const found = offendingVariables(container, migVariables, (text) => harmless.has(text))
    return found.length === 0
      ? undefined
      : { seen: `sets ${showList(found)}${capabilityOf(container)}`, wayOut }
  },
  { offenders: celVariables(migVariables, `!(e.?value.orValue('') in ${celList(harmless)})`), wayOut }
)

function capabilityOf({ addedCapabilities }: SecurityContainer): string {
  const needed = ['SYS_ADMIN', 'CAP_SYS_ADMIN', 'ALL'].find((name) => addedCapabilities.includes(name))
  return needed === undefined ? '' : ` with the capability ${needed} that they need`
}
