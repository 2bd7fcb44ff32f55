import { fieldOf, type JsonRecord, recordOf, stringOf } from '../../core/json.ts'
import { type Exemption, readExemption } from '../../core/policy/exemption.ts'

/** A GpuExemption as the controller keeps it: with what its status says now. */
export interface ExemptionObject extends Exemption {
  readonly uid: string
  readonly generation: number
  readonly status: JsonRecord | undefined
}

/** Reads a GpuExemption of the cluster; undefined when it is not one. */
export function readExemptionObject(raw: unknown): ExemptionObject | undefined {
  const exemption = readExemption(raw)
  if (exemption === undefined) return undefined
  const metadata = fieldOf(raw, 'metadata')
  const generation = fieldOf(metadata, 'generation')
  return {
    ...exemption,
    uid: stringOf(metadata, 'uid') ?? '',
    generation: typeof generation === 'number' ? generation : 0,
    status: recordOf(raw, 'status')
  }
}
