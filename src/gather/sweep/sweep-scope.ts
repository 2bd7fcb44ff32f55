import type { DecisionSettings } from '../../core/decision/decision.ts'
import type { OwnerLookup } from '../../core/pod/workload.ts'
import type { PolicyRead } from '../../core/policy/effective-policy.ts'
import { enforcementOf, isSystemNamespace } from '../../core/policy/enforcement.ts'
import type { Exemption } from '../../core/policy/exemption.ts'
import type { NodeIndex } from '../../core/sharing/node-index.ts'
import type { NamespaceView } from '../cluster-state.ts'

/** A policy, and since when it is as it is for certain. */
export interface DatedPolicy {
  readonly name: string
  readonly read: PolicyRead
  readonly sinceMs: number | undefined
}

/** What pods are judged by in one sweep. */
export interface SweepScope {
  /** Namespaces that are looked at; see `sweptNamespaces`. */
  readonly namespaces: readonly NamespaceView[]
  /** In the order of their names. */
  readonly policies: readonly DatedPolicy[]
  readonly nodes: NodeIndex
  readonly settings: DecisionSettings
  readonly ownerOf: OwnerLookup
  /** Of all namespaces, those that ended too. */
  readonly exemptions: readonly Exemption[]
  readonly nowMs: number
}

/** Of all namespaces those whose pods are judged, in the order of their names. */
export function sweptNamespaces(
  all: readonly NamespaceView[],
  { systemNamespaces }: Pick<DecisionSettings, 'systemNamespaces'>
): readonly NamespaceView[] {
  return all
    .filter(
      ({ name, labels }) => enforcementOf(labels) !== 'off' && !isSystemNamespace(name, systemNamespaces)
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
