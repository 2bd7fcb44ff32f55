import type { WebhookConfiguration } from '../core/api/names.ts'
import type { JsonRecord } from '../core/json.ts'
import type { PolicyRead } from '../core/policy/effective-policy.ts'
import type { NamespaceView } from '../gather/cluster-state.ts'
import type { Probe, Sight } from '../ports/installation-reader.ts'

/** A webhook configuration as it is shipped and as it is. */
export interface ConfigurationSight {
  readonly configuration: WebhookConfiguration
  /** What the manifests say. */
  readonly shipped: JsonRecord
  readonly live: Sight
}

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
}
