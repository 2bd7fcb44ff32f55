import type { NamespaceSweep, ViolationCount } from '../../core/audit/finding.ts'
import type { Violation } from '../../core/audit/violation.ts'
import { enforcementOf } from '../../core/policy/enforcement.ts'
import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import type { NamespaceView } from '../../gather/cluster-state.ts'
import type { SweepResult } from '../../gather/sweep/sweep-cluster.ts'
import type { KnownViolations } from '../../ports/controller-metrics.ts'
import type { IsolationState } from '../workloads/isolation-condition.ts'

/**
 * What sweeps have found, by namespace. What was known of a namespace stays while it cannot be read in full: a failed list is
 * never taken for the absence of violations.
 */
export class SweepMemory {
  #known: ReadonlyMap<string, NamespaceSweep> = new Map()
  /** Violations for which new pods would be refused, by namespace, kind, name and role of the workload. */
  #byWorkload: ReadonlyMap<string, readonly Violation[]> = new Map()

  /** Takes up what was found in namespaces that are looked at; what is no longer looked at is forgotten. */
  update(
    looked: readonly { readonly name: string }[],
    { namespaces }: Pick<SweepResult, 'namespaces'>
  ): void {
    const fresh = new Map(namespaces.map((sweep) => [sweep.namespace, sweep]))
    const entries = looked.flatMap(({ name }) => {
      const now = fresh.get(name)
      const sweep = now?.isWhole === true ? now : (this.#known.get(name) ?? now)
      return sweep === undefined ? [] : [[name, sweep] as const]
    })
    this.#known = new Map(entries)
    this.#byWorkload = refusedByWorkload([...this.#known.values()])
  }

  forget(): void {
    this.#known = new Map()
    this.#byWorkload = new Map()
  }

  /** What is known of every namespace, in the order of their names. */
  namespaces(): readonly NamespaceSweep[] {
    return [...this.#known.values()]
  }

  totals(): KnownViolations {
    const all = this.namespaces()
    const counts = Map.groupBy(
      all.flatMap((sweep) => sweep.counts),
      ({ rule, level }) => `${level} ${rule}`
    )
    return {
      counts: [...counts.values()].flatMap(summed),
      unreviewedPods: all.reduce((sum, { unreviewedPods }) => sum + unreviewedPods, 0)
    }
  }

  /** What is known of the pods of a workload, by the key of `recordKey`. */
  isolationOf({ name, labels }: NamespaceView, key: string): IsolationState {
    if (enforcementOf(labels) !== 'enforce') return { kind: 'outside' }
    const sweep = this.#known.get(name)
    const violations = this.#byWorkload.get(key) ?? []
    if (violations.length > 0) return { kind: 'judged', violations }
    return sweep?.isWhole === true && sweep.podsLeftOut === 0
      ? { kind: 'judged', violations }
      : { kind: 'unknown' }
  }
}

function summed(counts: readonly ViolationCount[]): readonly ViolationCount[] {
  const [first] = counts
  return first === undefined ? [] : [{ ...first, pods: counts.reduce((sum, { pods }) => sum + pods, 0) }]
}

/** Each rule once a workload, with the sentence of the first finding. */
function refusedByWorkload(sweeps: readonly NamespaceSweep[]): ReadonlyMap<string, readonly Violation[]> {
  const found = Map.groupBy(
    sweeps.flatMap(({ findings }) => findings),
    ({ namespace, workload }) => recordKey(namespace, workload)
  )
  return new Map(
    [...found].map(([key, findings]) => {
      const refused = findings
        .flatMap(({ violations }) => violations)
        .filter(({ level }) => level === 'enforce')
      const byRule = Map.groupBy(refused, ({ rule }) => rule)
      return [key, [...byRule.values()].flatMap(([first]) => first ?? [])] as const
    })
  )
}
