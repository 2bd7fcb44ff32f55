import { namespaceLabels } from '../api/names.ts'
import type { Level } from '../policy/effective-policy.ts'
import { enforcementOf } from '../policy/enforcement.ts'
import { showText } from './show.ts'

type Labels = Readonly<Record<string, string>>

/** What is known of a namespace whose labels change. */
export interface NamespaceChange {
  readonly name: string
  /** Empty for a new namespace. */
  readonly before: Labels
  readonly after: Labels
  readonly isSystem: boolean
  /** Workloads of the namespace whose use has been measured. */
  readonly workloadCount: number
}

const meanings: Readonly<Record<Level, string>> = {
  off: 'pods are neither given shares nor judged',
  warn: 'new pods stay as they are; what would change or be refused is told',
  enforce: 'new GPU pods are given shares, and pods that break isolation are refused'
}

const values = {
  [namespaceLabels.rightsize]: ['off', 'warn', 'enforce'],
  [namespaceLabels.isolation]: ['hardware', 'shared-ok']
} as const

/** What whoever changes the labels of a namespace is told, one line each; nothing when ours stay as they are. */
export function namespaceAdvice(change: NamespaceChange): readonly string[] {
  const { before, after, name, isSystem, workloadCount } = change
  const lines = [...unknownValues(before, after)]
  const level = enforcementOf(after)
  if (level !== enforcementOf(before)) {
    lines.push(`namespace ${showText(name)} is now ${level}: ${meanings[level]}`)
    if (isSystem && level !== 'off') lines.push('it is a system namespace, so nothing is done in it')
    else if (level !== 'off' && workloadCount > 0)
      lines.push(`${workloadCount} workloads have a measured use: kubectl get gpuw -n ${name}`)
  }
  const isShared = (labels: Labels): boolean => labels[namespaceLabels.isolation] === 'shared-ok'
  if (isShared(after) !== isShared(before)) {
    lines.push(
      isShared(after)
        ? 'its pods may share GPUs with others: nothing keeps memory and faults apart there'
        : 'its pods may not share GPUs any more; those that run go on until they end'
    )
  }
  return lines.map((line) => `rightslice: ${line}`)
}

/** A label selector is exact: `Enforce` or `true` mean nothing. */
function unknownValues(before: Labels, after: Labels): readonly string[] {
  return Object.entries(values).flatMap(([key, known]) => {
    const value = after[key]
    if (value === undefined || value === before[key] || known.some((word) => word === value)) return []
    return `${key}=${showText(value)} counts as ${known[0]}; known are ${known.join(', ')}`
  })
}
