import { fieldOf, listOf, stringOf } from '../../core/json.ts'
import type { Sight } from '../../ports/installation-reader.ts'
import type { Check } from '../finding.ts'

const FIX = 'kubectl apply -k manifests/base'

/** Whether our kinds are served. */
export const checkCustomResources: Check = ({ customResources }) => {
  const missing = [...customResources].flatMap(([name, sight]) => (isServed(sight) ? [] : [name]))
  if (missing.length > 0)
    return missing.map((name) => ({ level: 'fail', text: `${name} is not served`, fix: FIX }))
  const isHidden = [...customResources.values()].some(({ kind }) => kind === 'forbidden')
  return isHidden
    ? [{ level: 'info', text: 'custom resource definitions may not be read' }]
    : [{ level: 'ok', text: `${[...customResources.keys()].join(' and ')} are served` }]
}

/** What may not be read counts as served; whatever needs it says so. */
function isServed(sight: Sight): boolean {
  if (sight.kind !== 'seen') return sight.kind === 'forbidden'
  return listOf(fieldOf(sight.object, 'status'), 'conditions').some(
    (condition) => stringOf(condition, 'type') === 'Established' && stringOf(condition, 'status') === 'True'
  )
}
