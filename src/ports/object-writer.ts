import type { JsonRecord } from '../core/json.ts'

/** Kinds that the controller writes. */
export type WrittenKind = 'GpuWorkload' | 'GpuPolicy' | 'GpuExemption'

/** Names one object; `namespace` is '' for cluster-scoped kinds. */
export interface ObjectName {
  readonly kind: WrittenKind
  readonly namespace: string
  readonly name: string
}

/**
 * Writes our custom resources. Repeats what is safe to repeat and waits when the API server asks for it.
 * Every call throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE or KUBE_REFUSED once it gives up, or when the signal aborts.
 */
export interface ObjectWriter {
  /** Makes the object say what `spec` says, creating it where it is missing; fields of others stay. */
  applySpec(object: ObjectName, spec: JsonRecord, signal: AbortSignal): Promise<void>
  /**
   * Makes the status say what `status` says; fields that we wrote before and that it does not name are removed.
   * @returns false when the object does not exist
   */
  applyStatus(object: ObjectName, status: JsonRecord, signal: AbortSignal): Promise<boolean>
  /** Removes the object; one that is gone already is no fault. */
  remove(object: ObjectName, signal: AbortSignal): Promise<void>
}
