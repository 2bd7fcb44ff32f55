import type { JsonRecord } from '../../src/core/json.ts'
import {
  type EffectivePolicy,
  type PolicyRead,
  toEffectivePolicy
} from '../../src/core/policy/effective-policy.ts'

/** Name and generation of a policy, and any field of its spec; `mode` is Approve unless said. */
export interface PolicySpec extends JsonRecord {
  readonly name?: string
  readonly generation?: number
}

/** A GpuPolicy object as the API server sends it. */
export function aRawPolicy({ name = 'standard', generation = 1, ...spec }: PolicySpec = {}): JsonRecord {
  return {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuPolicy',
    metadata: { name, generation },
    spec: { mode: 'Approve', ...spec }
  }
}

/** A valid policy as the engine reads it; a test that gives it a wrong field fails at once. */
export function aPolicy(spec: PolicySpec = {}): Extract<PolicyRead, { kind: 'valid' }> {
  const read = toEffectivePolicy(aRawPolicy(spec))
  if (read.kind === 'valid') return read
  throw new Error(`a test's policy is invalid: ${JSON.stringify(read.faults)}`)
}

/** A valid policy, without what is said about its reading. */
export function anEffectivePolicy(spec: PolicySpec = {}): EffectivePolicy {
  return aPolicy(spec).policy
}
