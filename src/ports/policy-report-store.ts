import type { JsonRecord } from '../core/json.ts'

/** API groups in which reports may be written. */
export type ReportGroup = 'openreports.io' | 'wgpolicyk8s.io'

/** Where a report of ours lies. */
export interface ReportPlace {
  readonly group: ReportGroup
  readonly namespace: string
}

/**
 * Writes our policy reports, one a namespace.
 * Every call throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE or KUBE_REFUSED once it gives up, or when the signal aborts.
 */
export interface PolicyReportStore {
  /** Groups that the cluster serves, the one to write in first. */
  served(signal: AbortSignal): Promise<readonly ReportGroup[]>
  /** Namespaces that hold a report of ours, sorted. */
  namespaces(group: ReportGroup, signal: AbortSignal): Promise<readonly string[]>
  /** Makes our report of a namespace say this, creating it where it is missing. */
  apply(place: ReportPlace, content: JsonRecord, signal: AbortSignal): Promise<void>
  /** Removes our report of a namespace; one that is gone already is no fault. */
  remove(place: ReportPlace, signal: AbortSignal): Promise<void>
}
