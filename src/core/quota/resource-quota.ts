import { quantityToWhole } from '../api/quantity.ts'
import {
  fieldAt,
  fieldOf,
  isRecord,
  type JsonRecord,
  listOf,
  recordOf,
  stringOf,
  stringsOf
} from '../json.ts'
import { isCountedKey } from './quota-key.ts'

/** One condition on the pods that a quota counts. */
export interface QuotaScope {
  readonly name: string
  /** `Exists` where the quota names the scope alone. */
  readonly operator: string
  readonly values: readonly string[]
}

/** How much of one thing may be used, and is. */
export interface QuotaLimit {
  readonly hard: number
  /** undefined until Kubernetes has counted for the first time; until then it refuses every pod. */
  readonly used: number | undefined
}

/** A ResourceQuota as decisions read it. */
export interface ResourceQuota {
  readonly namespace: string
  readonly name: string
  /** By the key that Kubernetes counts by, such as `requests.nvidia.com/gpu`. */
  readonly limits: Readonly<Record<string, QuotaLimit>>
  /** All of them have to match; empty: every pod. */
  readonly scopes: readonly QuotaScope[]
}

/**
 * Reads a ResourceQuota; undefined when it limits neither extended resources nor claims. Of a limit that was just changed the lower one
 * counts, and one that cannot be read is zero.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/resource-quota-v1/
 */
export function readResourceQuota(raw: unknown): ResourceQuota | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const [namespace, name] = [stringOf(metadata, 'namespace'), stringOf(metadata, 'name')]
  const spec = fieldOf(raw, 'spec')
  const limits = readLimits(recordOf(spec, 'hard'), fieldOf(raw, 'status'))
  if (namespace === undefined || name === undefined || Object.keys(limits).length === 0) return undefined
  return { namespace, name, limits, scopes: readScopes(spec) }
}

function readLimits(wanted: JsonRecord | undefined, status: unknown): ResourceQuota['limits'] {
  const enforced = recordOf(status, 'hard')
  const names = new Set([...Object.keys(wanted ?? {}), ...Object.keys(enforced ?? {})])
  const limits = [...names]
    .filter(isCountedKey)
    .sort()
    .map((name) => {
      const given = [wanted, enforced].filter((map) => isRecord(map) && Object.hasOwn(map, name))
      const hard = Math.min(...given.map((map) => quantityToWhole(fieldOf(map, name)) ?? 0))
      return [name, { hard, used: quantityToWhole(fieldAt(status, 'used', name)) }] as const
    })
  return Object.fromEntries(limits)
}

function readScopes(spec: unknown): readonly QuotaScope[] {
  const plain = stringsOf(spec, 'scopes').map((name) => ({ name, operator: 'Exists', values: [] }))
  const selected = listOf(fieldOf(spec, 'scopeSelector'), 'matchExpressions').map((expression) => ({
    name: stringOf(expression, 'scopeName') ?? '',
    operator: stringOf(expression, 'operator') ?? '',
    values: stringsOf(expression, 'values')
  }))
  return [...plain, ...selected]
}
