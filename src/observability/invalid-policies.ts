import type { PolicyRead } from '../core/policy/effective-policy.ts'
import { printFault } from '../core/policy/fault.ts'
import type { Log } from '../ports/log.ts'
import type { ObjectStore } from '../ports/object-store.ts'

/** What reporting needs. */
export interface PolicyReport {
  readonly policies: ObjectStore<PolicyRead>
  readonly log: Log
  readonly metrics: { policiesInvalid(count: number): void }
}

/**
 * Tells of policies that are switched off by their faults: one line when that begins, changes or ends, and their
 * number as a metric. Begins with what is in the store now.
 * @returns a function that ends it
 */
export function reportInvalidPolicies({ policies, log, metrics }: PolicyReport): () => void {
  let told: ReadonlyMap<string, string> = new Map()
  const report = (): void => {
    const now = invalidPolicies(policies.list())
    for (const [policy, faults] of now) {
      if (told.get(policy) !== faults) log.warn({ policy, faults }, 'policy is invalid and switched off')
    }
    for (const policy of told.keys()) {
      if (!now.has(policy)) log.info({ policy }, 'policy is no longer invalid')
    }
    told = now
    metrics.policiesInvalid(now.size)
  }
  report()
  return policies.onChange(report)
}

function invalidPolicies(reads: readonly PolicyRead[]): ReadonlyMap<string, string> {
  const invalid = reads.flatMap((read) => (read.kind === 'invalid' ? [read] : []))
  const ordered = invalid.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return new Map(ordered.map(({ name, faults }) => [name, faults.map(printFault).join('; ')]))
}
