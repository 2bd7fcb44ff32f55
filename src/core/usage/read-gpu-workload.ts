import { type GpuWorkload, GpuWorkload as GpuWorkloadSchema } from '../api/gpu-workload.ts'
import { quantityToMiB } from '../api/quantity.ts'
import { fieldAt } from '../json.ts'
import { type WorkloadRef, workloadKey } from '../pod/workload.ts'
import { parseDuration } from '../policy/duration.ts'
import { readUtc } from '../policy/utc-time.ts'
import type {
  CanaryState,
  ContainerUsage,
  Fallback,
  UsageEvidence,
  UsageObstacle,
  WorkloadUsage
} from './usage.ts'

/** A GpuWorkload object as decisions use it. */
export interface WorkloadRecord {
  readonly namespace: string
  readonly name: string
  readonly workload: WorkloadRef
  readonly usage: WorkloadUsage
}

type Container = NonNullable<NonNullable<GpuWorkload['status']>['containers']>[number]

const evidenceOf: Readonly<Record<Container['evidence'], UsageEvidence>> = {
  Own: 'own',
  Censored: 'censored',
  SelfSizing: 'self-sizing',
  SharedDevice: 'shared-device'
}

const obstacleOf: Readonly<Record<NonNullable<Container['obstacle']>, UsageObstacle>> = {
  NoHistory: 'no-history',
  SelfSizing: 'self-sizing',
  Censored: 'censored',
  UnderOneSeason: 'under-one-season',
  RanOutOfMemory: 'ran-out-of-memory'
}

/**
 * Reads a GpuWorkload of the cluster; undefined when it is not one. Containers without a peak or without history are
 * left out, since they are no evidence.
 */
export function readGpuWorkload(raw: unknown): WorkloadRecord | undefined {
  const read = GpuWorkloadSchema.safeParse(raw)
  if (!read.success) return undefined
  const { metadata, spec, status } = read.data
  const { kind, name, role } = spec.workloadRef
  const version = fieldAt(raw, 'metadata', 'resourceVersion')
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    workload: role === undefined ? { kind, name } : { kind, name, role },
    usage: {
      version: typeof version === 'string' ? version : '0',
      containers: (status?.containers ?? []).flatMap((container) => readContainer(container) ?? []),
      ...readTrials(status)
    }
  }
}

type Status = NonNullable<GpuWorkload['status']>

/** What became of pods with shares, as far as anything did. */
function readTrials(status: Status | undefined): Pick<WorkloadUsage, 'fallback' | 'canary'> {
  const fallback = readFallback(status?.fallback)
  const canary = readCanary(status?.canary)
  return { ...(fallback === undefined ? {} : { fallback }), ...(canary === undefined ? {} : { canary }) }
}

function readFallback(fallback: Status['fallback']): Fallback | undefined {
  const untilMs = readUtc(fallback?.until)
  return fallback === undefined || untilMs === undefined ? undefined : { share: fallback.share, untilMs }
}

const canaryStates = { Trial: 'trial', Passed: 'passed', Failed: 'failed' } as const

function readCanary(canary: Status['canary']): CanaryState | undefined {
  if (canary === undefined) return undefined
  return {
    share: canary.share,
    state: canaryStates[canary.state],
    untilMs: readUtc(canary.until),
    message: canary.message
  }
}

function readContainer(container: Container): ContainerUsage | undefined {
  const peakMiB = quantityToMiB(container.peakMemory)
  const coverageSeconds = parseDuration(container.history?.coverage)
  if (peakMiB === undefined || coverageSeconds === undefined) return undefined
  const busy = container.peakCompute
  return {
    container: container.name,
    peakMiB,
    peakCompute:
      busy === undefined
        ? undefined
        : { ratio: Number.parseFloat(busy) / 100, metric: container.computeMetric ?? 'peak compute' },
    deviceMiB: quantityToMiB(container.deviceMemory),
    evidence: evidenceOf[container.evidence],
    coverageSeconds,
    neededMiB: quantityToMiB(container.needed),
    sizeFloorMiB: quantityToMiB(container.sizeFloor),
    obstacle: container.obstacle === undefined ? undefined : obstacleOf[container.obstacle]
  }
}

/** Key under which a workload's record is found, and its text in logs: `ns/Deployment/web`, with the role where it has one. */
export function recordKey(namespace: string, workload: WorkloadRef): string {
  return `${namespace}/${workloadKey(workload)}`
}
