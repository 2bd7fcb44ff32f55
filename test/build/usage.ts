import type { JsonRecord } from '../../src/core/json.ts'
import { parseDuration } from '../../src/core/policy/duration.ts'
import type { ContainerUsage, WorkloadUsage } from '../../src/core/usage/usage.ts'

/** What a test says about the use of one container. */
export interface UsageSpec {
  readonly container?: string
  readonly peakMiB?: number
  /** A duration: `14d`, `13d22h`. */
  readonly coverage?: string
  /** 0 to 1 of the whole GPU; undefined where no compute was measured. */
  readonly peakComputeRatio?: number
  readonly deviceMiB?: number
  readonly evidence?: ContainerUsage['evidence']
  readonly neededMiB?: number
  readonly sizeFloorMiB?: number
  readonly obstacle?: NonNullable<ContainerUsage['obstacle']>
}

/** What is known of one workload; by default 14 days of its container `main` with a peak of 5200 MiB. */
export function aUsage(...containers: readonly UsageSpec[]): WorkloadUsage {
  return { version: '1', containers: (containers.length === 0 ? [{}] : containers).map(aContainerUsage) }
}

/** What is known of one container. */
function aContainerUsage(usage: UsageSpec): ContainerUsage {
  return {
    container: usage.container ?? 'main',
    peakMiB: usage.peakMiB ?? 5200,
    peakCompute:
      usage.peakComputeRatio === undefined
        ? undefined
        : { ratio: usage.peakComputeRatio, metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE' },
    deviceMiB: usage.deviceMiB,
    evidence: usage.evidence ?? 'own',
    coverageSeconds: parseDuration(usage.coverage ?? '14d') ?? 0,
    neededMiB: usage.neededMiB,
    sizeFloorMiB: usage.sizeFloorMiB,
    obstacle: usage.obstacle
  }
}

/** What a test says about a GpuWorkload. */
export interface GpuWorkloadSpec {
  readonly name?: string
  readonly namespace?: string
  readonly resourceVersion?: string
  readonly kind?: string
  readonly workload?: string
  readonly role?: string
  /** Entries of `status.containers` as they are; default: `main` with a peak of 5200Mi in 14 days. */
  readonly containers?: readonly JsonRecord[]
}

/** A GpuWorkload object as the API server sends it. */
export function aGpuWorkload(spec: GpuWorkloadSpec = {}): JsonRecord {
  return {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuWorkload',
    metadata: {
      name: spec.name ?? 'deployment-app',
      namespace: spec.namespace ?? 'team-a',
      resourceVersion: spec.resourceVersion ?? '42'
    },
    spec: {
      workloadRef: {
        kind: spec.kind ?? 'Deployment',
        name: spec.workload ?? 'app',
        ...(spec.role === undefined ? {} : { role: spec.role })
      }
    },
    status: {
      containers: spec.containers ?? [{ name: 'main', peakMemory: '5200Mi', history: { coverage: '14d' } }]
    }
  }
}
