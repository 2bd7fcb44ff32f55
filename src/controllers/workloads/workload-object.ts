import { GpuWorkload } from '../../core/api/gpu-workload.ts'
import type { ContainerSizing } from '../../core/api/gpu-workload-sizing.ts'
import { API_GROUP, API_VERSION } from '../../core/api/names.ts'
import type { JsonRecord } from '../../core/json.ts'
import type { WorkloadRef } from '../../core/pod/workload.ts'

/** Status of a GpuWorkload. */
export type WorkloadStatus = NonNullable<GpuWorkload['status']>

/** Entry of a status about one container. */
export type ContainerStatus = NonNullable<WorkloadStatus['containers']>[number]

/** What the controller remembers of one container on one GPU model. */
export type Sizing = ContainerSizing

/** A GpuWorkload of the cluster, whole. */
export interface WorkloadObject {
  readonly namespace: string
  readonly name: string
  readonly generation: number
  readonly workload: WorkloadRef
  readonly apiVersion: string | undefined
  readonly status: WorkloadStatus | undefined
}

/** Reads a GpuWorkload; undefined when it is not one. */
export function readWorkloadObject(raw: unknown): WorkloadObject | undefined {
  const read = GpuWorkload.safeParse(raw)
  if (!read.success) return undefined
  const { metadata, spec, status } = read.data
  const { kind, name, role, apiVersion } = spec.workloadRef
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    generation: metadata.generation ?? 0,
    workload: role === undefined ? { kind, name } : { kind, name, role },
    apiVersion,
    status
  }
}

/** The spec that says what a GpuWorkload is about. */
export function workloadSpec(workload: WorkloadRef, apiVersion: string | undefined): JsonRecord {
  const { kind, name, role } = workload
  return {
    workloadRef: {
      ...(apiVersion === undefined || apiVersion === '' ? {} : { apiVersion }),
      kind,
      name,
      ...(role === undefined ? {} : { role })
    }
  }
}

/** The object as the API server would give it, for who reads such objects. */
export function asWorkloadObject(
  { namespace, name, spec }: { readonly namespace: string; readonly name: string; readonly spec: JsonRecord },
  status: WorkloadStatus
): JsonRecord {
  return {
    apiVersion: `${API_GROUP}/${API_VERSION}`,
    kind: 'GpuWorkload',
    metadata: { namespace, name },
    spec,
    status
  }
}
