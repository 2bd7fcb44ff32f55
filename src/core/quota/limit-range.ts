import { quantityToWhole } from '../api/quantity.ts'
import { fieldOf, type JsonRecord, listOf, recordOf, stringOf } from '../json.ts'

/** Bounds of one resource by a LimitRange; a resource that has any must be asked for. */
export interface Bounds {
  readonly min: number | undefined
  readonly max: number | undefined
}

/** What a LimitRange says of extended resources of each container, or of all containers of a pod together. */
export interface LimitItem {
  readonly per: 'container' | 'pod'
  /** By resource name. */
  readonly bounds: Readonly<Record<string, Bounds>>
  /** Resources that a container gets which does not say how many it wants, with how many. */
  readonly defaults: Readonly<Record<string, number>>
}

/** A LimitRange as decisions read it. */
export interface LimitRange {
  readonly namespace: string
  readonly name: string
  readonly items: readonly LimitItem[]
}

const kinds: Readonly<Record<string, LimitItem['per']>> = { Container: 'container', Pod: 'pod' }

/**
 * Reads a LimitRange; undefined when it says nothing of extended resources of pods.
 * @see https://kubernetes.io/docs/concepts/policy/limit-range/
 */
export function readLimitRange(raw: unknown): LimitRange | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const [namespace, name] = [stringOf(metadata, 'namespace'), stringOf(metadata, 'name')]
  const items = listOf(fieldOf(raw, 'spec'), 'limits').flatMap(readItem)
  if (namespace === undefined || name === undefined || items.length === 0) return undefined
  return { namespace, name, items }
}

function readItem(raw: unknown): readonly LimitItem[] {
  const type = stringOf(raw, 'type') ?? ''
  const per = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (per === undefined) return []
  const bounds = readBounds(raw)
  const defaults = readDefaults(raw)
  return Object.keys(bounds).length + Object.keys(defaults).length === 0 ? [] : [{ per, bounds, defaults }]
}

function readBounds(raw: unknown): LimitItem['bounds'] {
  const [min, max] = [recordOf(raw, 'min'), recordOf(raw, 'max')]
  const named = [min, max, recordOf(raw, 'maxLimitRequestRatio')].flatMap(extendedNames)
  return Object.fromEntries(
    [...new Set(named)]
      .sort()
      .map((name) => [
        name,
        { min: quantityToWhole(fieldOf(min, name)), max: quantityToWhole(fieldOf(max, name)) }
      ])
  )
}

/** The API server fills in `default` from `max` where it is not given, so both are read. */
function readDefaults(raw: unknown): LimitItem['defaults'] {
  const [limits, requests] = [recordOf(raw, 'default'), recordOf(raw, 'defaultRequest')]
  const named = new Set([...extendedNames(limits), ...extendedNames(requests)])
  return Object.fromEntries(
    [...named].sort().map((name) => {
      const [limit, request] = [limits, requests].map((map) => quantityToWhole(fieldOf(map, name)))
      return [name, limit ?? request ?? 0]
    })
  )
}

function extendedNames(map: JsonRecord | undefined): readonly string[] {
  return Object.keys(map ?? {}).filter((name) => name.includes('/'))
}
