import { WHOLE_GPU } from '../../core/pod/gpu-request.ts'
import type { LimitRange } from '../../core/quota/limit-range.ts'
import { showList } from '../../core/rules/show.ts'
import type { Check, Finding } from '../finding.ts'
import { optedInNamespaces } from '../suggest/choosable-shares.ts'
import { uncountedShares } from '../suggest/suggest-quota.ts'

/** Quotas that a share would escape, and LimitRanges that give whole GPUs or demand them, in namespaces that opted in. */
export const checkLimits: Check = ({ bounds, policies, namespaces }) => {
  if (bounds.kind === 'forbidden')
    return [{ level: 'info', text: 'nodes, quotas and LimitRanges may not all be read' }]
  const optedIn = new Set(optedInNamespaces({ namespaces }).map(({ name }) => name))
  const ranges = bounds.limitRanges.filter(({ namespace }) => optedIn.has(namespace))
  return [
    ...uncountedShares({ ...bounds, policies, namespaces }).map(
      ({ quota: { namespace, name }, shares }): Finding => ({
        level: 'warn',
        text: `ResourceQuota ${namespace}/${name} counts whole GPUs and not ${showList(shares.map(({ resource }) => resource))}`,
        fix: 'rightslice check --suggest-quota'
      })
    ),
    ...named(ranges, givesWhole, 'gives containers that ask for none'),
    ...named(ranges, demandsWhole, 'demands of pods, which keep whole GPUs for it,')
  ]
}

function named(
  ranges: readonly LimitRange[],
  isMeant: (range: LimitRange) => boolean,
  what: string
): readonly Finding[] {
  return ranges.filter(isMeant).map(({ namespace, name }) => ({
    level: 'warn',
    text: `LimitRange ${namespace}/${name} ${what} ${WHOLE_GPU}`,
    fix: `kubectl edit limitrange -n ${namespace} ${name}`
  }))
}

function givesWhole({ items }: LimitRange): boolean {
  return items.some(({ defaults }) => (defaults[WHOLE_GPU] ?? 0) > 0)
}

function demandsWhole({ items }: LimitRange): boolean {
  return items.some(({ bounds }) => Object.hasOwn(bounds, WHOLE_GPU))
}
