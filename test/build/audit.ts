import { auditRunningPod, type PodAudit } from '../../src/core/audit/running-pod.ts'
import type { RunningPodInput } from '../../src/core/audit/running-pod-input.ts'
import { readNode } from '../../src/core/cluster/node-view.ts'
import { indexNodes } from '../../src/core/sharing/node-index.ts'
import { anIsolationInput, type JudgedSpec } from './isolation.ts'
import { aWholeNode } from './node.ts'

/** When the namespaces and policies of audited pods became what they are, ms since the epoch. */
export const SINCE_MS = Date.parse('2026-11-01T00:00:00Z')

const oneNode = indexNodes([readNode(aWholeNode())].flatMap((node) => node ?? []))

/** What a test says about a pod that runs. */
export interface RunningSpec extends JudgedSpec {
  /** Default: an hour after `SINCE_MS`. */
  readonly createdMs?: number
  readonly optedInMs?: number | undefined
  readonly policySinceMs?: number | undefined
}

/** Everything that is looked at of a pod that runs in `team-a`, which is on `enforce`. */
export function aRunningInput(spec: RunningSpec): RunningPodInput {
  const { operation: _operation, subResource: _subResource, ...input } = anIsolationInput(spec)
  const optedInMs = 'optedInMs' in spec ? spec.optedInMs : SINCE_MS
  const policySinceMs = 'policySinceMs' in spec ? spec.policySinceMs : SINCE_MS
  return {
    ...input,
    nodes: spec.input?.nodes ?? oneNode,
    settings: { ...input.settings, schedulers: ['default-scheduler'] },
    createdMs: spec.createdMs ?? SINCE_MS + 3_600_000,
    optedInMs,
    policySinceMs: () => policySinceMs
  }
}

/** What is wrong with such a pod. */
export function auditOf(spec: RunningSpec): PodAudit | undefined {
  return auditRunningPod(aRunningInput(spec))
}
