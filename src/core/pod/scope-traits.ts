import { parseQuantity } from '../api/quantity.ts'
import { fieldOf, type JsonRecord, recordOf, stringOf } from '../json.ts'

/** What the scope of a quota may ask about a pod. @source https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes */
export interface ScopeTraits {
  readonly priorityClassName: string | undefined
  /** Whether it ends by a deadline of its own: `Terminating`. */
  readonly hasDeadline: boolean
  /** Whether nothing in it asks for CPU or memory: `BestEffort`. */
  readonly isBestEffort: boolean
}

/** Reads them of a pod's spec. Never throws. */
export function readScopeTraits(
  spec: unknown,
  containers: readonly {
    readonly limits: JsonRecord | undefined
    readonly requests: JsonRecord | undefined
  }[]
): ScopeTraits {
  const own = fieldOf(spec, 'resources')
  const all = [...containers, { limits: recordOf(own, 'limits'), requests: recordOf(own, 'requests') }]
  const deadline = fieldOf(spec, 'activeDeadlineSeconds')
  return {
    priorityClassName: stringOf(spec, 'priorityClassName'),
    hasDeadline: typeof deadline === 'number' && deadline >= 0,
    isBestEffort: !all.some(({ limits, requests }) => [limits, requests].some(asksForSome))
  }
}

function asksForSome(map: JsonRecord | undefined): boolean {
  return ['cpu', 'memory'].some((name) => (parseQuantity(fieldOf(map, name))?.nano ?? 0n) > 0n)
}
