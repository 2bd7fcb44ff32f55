import { fieldAt } from '../../core/json.ts'
import type { Check, Finding } from '../finding.ts'

/** Whether the processes run and are ready. */
export const checkReplicas: Check = ({ deployments }) =>
  [...deployments].map(([name, sight]): Finding => {
    if (sight.kind === 'forbidden') return { level: 'info', text: `Deployment ${name} may not be read` }
    const fix = `kubectl -n rightslice-system describe deployment ${name}`
    if (sight.kind === 'absent') return { level: 'fail', text: `Deployment ${name} is missing`, fix }
    const wanted = countAt(sight.object, 'spec')
    const ready = countAt(sight.object, 'status')
    const text = `${name}: ${ready} of ${wanted} replicas are ready`
    if (ready === 0) return { level: 'fail', text, fix }
    return ready < wanted ? { level: 'warn', text, fix } : { level: 'ok', text }
  })

/** The API server leaves out a count of zero in the status, and fills in one in the spec. */
function countAt(deployment: unknown, part: 'spec' | 'status'): number {
  const count = fieldAt(deployment, part, part === 'spec' ? 'replicas' : 'readyReplicas')
  if (typeof count === 'number') return count
  return part === 'spec' ? 1 : 0
}
