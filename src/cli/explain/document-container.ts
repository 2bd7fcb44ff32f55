import type { ContainerTrace } from '../../core/explain/trace.ts'
import { gpuCountsOf } from '../../core/pod/gpu-request.ts'
import type { ContainerUsage, WorkloadUsage } from '../../core/usage/usage.ts'
import type { ContainerDocument } from './container-document.ts'

/** What one container asks for, used and needs, for the document. */
export function documentContainer(
  { container, need }: ContainerTrace,
  usage: WorkloadUsage | undefined
): ContainerDocument {
  const known = usage?.containers.find((entry) => entry.container === container.name)
  return {
    name: container.name,
    asksFor: Object.fromEntries(gpuCountsOf(container)),
    history: known === undefined ? undefined : historyOf(known),
    need: need?.kind === 'need' ? needOf(need) : undefined,
    unknownBecause: need?.kind === 'refusal' ? { reason: need.reason, sentence: need.sentence } : undefined
  }
}

function historyOf(known: ContainerUsage): ContainerDocument['history'] {
  const { peakMiB, deviceMiB, coverageSeconds, evidence, peakCompute, sizeFloorMiB } = known
  return {
    peakMiB,
    deviceMiB,
    coverageSeconds,
    evidence,
    peakCompute: peakCompute?.ratio,
    computeMetric: peakCompute?.metric,
    sizeFloorMiB
  }
}

function needOf({
  neededMiB,
  headroomRatio,
  raisedBy,
  neededCompute
}: Extract<ContainerTrace['need'], { kind: 'need' }>): ContainerDocument['need'] {
  return { neededMiB, headroomRatio, raisedBy, neededCompute }
}
