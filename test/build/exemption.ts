import type { JsonRecord } from '../../src/core/json.ts'
import { type Exemption, readExemption } from '../../src/core/policy/exemption.ts'
import { NOW_MS } from './input.ts'

const DAY_MS = 86_400_000

/** A raw GpuExemption `load-test` of Deployment `app` in `team-a` from Rewrite, made a day ago and ending tomorrow. */
export function aRawExemption(spec: JsonRecord = {}): JsonRecord {
  return {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuExemption',
    metadata: {
      name: 'load-test',
      namespace: 'team-a',
      creationTimestamp: new Date(NOW_MS - DAY_MS).toISOString()
    },
    spec: {
      rules: ['Rewrite'],
      workloadRef: { kind: 'Deployment', name: 'app' },
      expires: new Date(NOW_MS + DAY_MS).toISOString(),
      reason: 'a load test',
      ...spec
    }
  }
}

/** The same as the engine reads it. */
export function anExemption(spec: JsonRecord = {}): Exemption {
  const exemption = readExemption(aRawExemption(spec))
  if (exemption === undefined) throw new Error('the exemption of the test cannot be read')
  return exemption
}
