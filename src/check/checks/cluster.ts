import { showText } from '../../core/rules/show.ts'
import type { Check } from '../finding.ts'

/** Oldest minor version of Kubernetes 1 whose webhooks can say what ours have to. @source matchConditions, stable since 1.30 */
const OLDEST_MINOR = 30

/** Whether the cluster is new enough. */
export const checkCluster: Check = ({ serverVersion }) => {
  const minor = Number(/^v1\.(\d+)/.exec(serverVersion)?.[1] ?? Number.NaN)
  const name = serverVersion === '' ? 'of unknown version' : showText(serverVersion).slice(1, -1)
  const text = `Kubernetes ${name}`
  if (minor >= OLDEST_MINOR) return [{ level: 'ok', text }]
  return [{ level: 'warn', text: `${text} is not supported`, fix: `use 1.${OLDEST_MINOR} or newer` }]
}
