import type { WebhookConfiguration } from '../core/api/names.ts'
import type { JsonRecord } from '../core/json.ts'
import type { PolicyRead } from '../core/policy/effective-policy.ts'
import type { LimitRange } from '../core/quota/limit-range.ts'
import type { ResourceQuota } from '../core/quota/resource-quota.ts'
import type { NodeIndex } from '../core/sharing/node-index.ts'
import type { NamespaceView } from '../gather/cluster-state.ts'
import type { Probe, Sight } from '../ports/installation-reader.ts'

/** A webhook configuration as it is shipped and as it is. */
export interface ConfigurationSight {
  readonly configuration: WebhookConfiguration
  /** What the manifests say. */
  readonly shipped: JsonRecord
  readonly live: Sight
}

/** What bounds pods, and the nodes that offer shares; whoever runs a check may not be allowed to read them. */
export type Bounds =
  | {
      readonly kind: 'seen'
      readonly nodes: NodeIndex
      readonly quotas: readonly ResourceQuota[]
      readonly limitRanges: readonly LimitRange[]
    }
  | { readonly kind: 'forbidden' }

/** All that checks judge, read once. */
export interface Installation {
  /** Time by the clock of the API server, ms since the epoch. */
  readonly nowMs: number
  /** Such as `v1.36.3`. */
  readonly serverVersion: string
  readonly configurations: readonly ConfigurationSight[]
  /** Custom resource definitions by their name. */
  readonly customResources: ReadonlyMap<string, Sight>
  /** Deployments by their name. */
  readonly deployments: ReadonlyMap<string, Sight>
  /** The Secret with the authorities. */
  readonly secret: Sight
  readonly probe: Probe
  readonly policies: readonly PolicyRead[]
  readonly namespaces: readonly NamespaceView[]
  readonly bounds: Bounds
}
