import { namespaceLabels } from '../api/names.ts'
import type { EffectivePolicy, Level } from './effective-policy.ts'

/** Levels, the least strict first. */
export const levelOrder: readonly Level[] = ['off', 'warn', 'enforce']

/** What a namespace's label allows: exactly `warn` or `enforce`, everything else is `off`. */
export function enforcementOf(labels: Readonly<Record<string, string>>): Level {
  const value = labels[namespaceLabels.rightsize]
  return value === 'warn' || value === 'enforce' ? value : 'off'
}

/** The least strict of several levels; `lowestLevel('enforce', 'warn')` is `warn`. */
export function lowestLevel(first: Level, ...others: readonly Level[]): Level {
  return others.reduce(
    (low, level) => (levelOrder.indexOf(level) < levelOrder.indexOf(low) ? level : low),
    first
  )
}

/** Whether a namespace is among those that are never touched; a pattern that ends in `*` stands for all that start so. */
export function isSystemNamespace(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
  )
}

/** Whether pods of a namespace are changed under a policy, and not only told what would be. */
export function isRewriting(
  { rewrite, mode }: Pick<EffectivePolicy, 'rewrite' | 'mode'>,
  labels: Readonly<Record<string, string>>
): boolean {
  return enforcementOf(labels) === 'enforce' && rewrite === 'enforce' && mode !== 'Propose'
}
