import type { BinaryPaths } from './control-plane-group.ts'

/** How much of each request the audit log keeps; our audit annotations are in every level. */
type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse'

/** What may differ from one bed to another. */
export type BedOptions = {
  /** The programs; by default `findBinaries` gets them. */
  readonly binaries?: BinaryPaths
  /** Default true. */
  readonly startScheduler?: boolean
  /** Default true. Without it there are no service accounts, so their admission plugin is off. */
  readonly startControllerManager?: boolean
  /** Writes an audit log of this level; default none. */
  readonly audit?: AuditLevel
  /** Further flags of the API server, such as `--enable-admission-plugins=ExtendedResourceToleration`. */
  readonly apiServerArgs?: readonly string[]
  /** Further flags of the controller manager, such as `--kube-api-qps=500`. */
  readonly controllerManagerArgs?: readonly string[]
}
