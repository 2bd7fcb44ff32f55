import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf, stringOf } from '../../core/json.ts'
import { type PolicyRead, toEffectivePolicy } from '../../core/policy/effective-policy.ts'
import { specSinceMs } from '../../gather/managed-since.ts'
import type { Condition } from '../conditions.ts'

/** A GpuPolicy of the cluster: what it turned out to be, and what its status says. */
export interface PolicyObject {
  readonly name: string
  readonly generation: number
  readonly read: PolicyRead
  readonly status: JsonRecord
  /** Since when its spec is as it is for certain, ms since the epoch; absent where nobody noted it. */
  readonly sinceMs?: number | undefined
}

/** Reads a GpuPolicy; undefined without a name. */
export function readPolicyObject(raw: unknown): PolicyObject | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const name = stringOf(metadata, 'name')
  if (name === undefined) return undefined
  const generation = fieldOf(metadata, 'generation')
  const status = fieldOf(raw, 'status')
  const sinceMs = specSinceMs(raw)
  return {
    name,
    generation: typeof generation === 'number' ? generation : 0,
    read: toEffectivePolicy(raw),
    status: isRecord(status) ? status : {},
    ...(sinceMs === undefined ? {} : { sinceMs })
  }
}

/** The conditions that a status holds, as far as they are such. */
export function conditionsIn(status: JsonRecord): readonly Condition[] {
  return listOf(status, 'conditions').flatMap((raw) => {
    const type = stringOf(raw, 'type')
    const word = fieldAt(raw, 'status')
    const lastTransitionTime = stringOf(raw, 'lastTransitionTime')
    if (type === undefined || lastTransitionTime === undefined) return []
    if (word !== 'True' && word !== 'False' && word !== 'Unknown') return []
    const reason = stringOf(raw, 'reason') ?? ''
    return [{ type, status: word, reason, message: stringOf(raw, 'message') ?? '', lastTransitionTime }]
  })
}
