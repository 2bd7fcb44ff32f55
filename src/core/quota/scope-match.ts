import type { ScopeTraits } from '../pod/scope-traits.ts'
import type { QuotaScope } from './resource-quota.ts'

/** Whether a quota counts a pod; `unknown` where that depends on what is not looked at. */
export type ScopeMatch = 'yes' | 'no' | 'unknown'

/** Whether all scopes match: one that does not is enough for a no, whatever the others are. */
export function matchScopes(scopes: readonly QuotaScope[], traits: ScopeTraits): ScopeMatch {
  const matches = scopes.map((scope) => matchScope(scope, traits))
  if (matches.includes('no')) return 'no'
  return matches.includes('unknown') ? 'unknown' : 'yes'
}

function matchScope(
  { name, operator, values }: QuotaScope,
  { priorityClassName, hasDeadline, isBestEffort }: ScopeTraits
): ScopeMatch {
  switch (name) {
    case 'Terminating':
      return yesOrNo(hasDeadline)
    case 'NotTerminating':
      return yesOrNo(!hasDeadline)
    case 'BestEffort':
      return yesOrNo(isBestEffort)
    case 'NotBestEffort':
      return yesOrNo(!isBestEffort)
    case 'PriorityClass':
      return matchClass(priorityClassName, operator, values)
    default:
      return 'unknown'
  }
}

/** As label selectors do: a pod without a class is in none, and `NotIn` matches it. */
function matchClass(name: string | undefined, operator: string, values: readonly string[]): ScopeMatch {
  const isListed = name !== undefined && values.includes(name)
  switch (operator) {
    case 'In':
      return yesOrNo(isListed)
    case 'NotIn':
      return yesOrNo(!isListed)
    case 'Exists':
      return yesOrNo(name !== undefined)
    case 'DoesNotExist':
      return yesOrNo(name === undefined)
    default:
      return 'unknown'
  }
}

function yesOrNo(claim: boolean): ScopeMatch {
  return claim ? 'yes' : 'no'
}
