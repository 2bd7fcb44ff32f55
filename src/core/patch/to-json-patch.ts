import { quantityToCount } from '../api/quantity.ts'
import type { ContainerChange, Decision, Rewrite } from '../decision/decision.ts'
import { type Marks, marksOf, reservedKeys } from '../decision/marks.ts'
import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf } from '../json.ts'
import { WHOLE_GPU } from '../pod/gpu-request.ts'
import { type PatchOperation, pointer } from './operation.ts'

/**
 * The operations that turn the pod into the decided one, written by hand and only where something changes.
 * Empty when nothing does, so deciding on our own output gives an empty patch, and for an object without metadata: it is no
 * pod, and what is changed on it could not be told.
 * @param raw the pod as it came, never a copy that went through types
 */
export function toJsonPatch(raw: unknown, decision: Decision): readonly PatchOperation[] {
  if (!isRecord(fieldOf(raw, 'metadata'))) return []
  const marks = marksOf(decision)
  return [
    ...(decision.kind === 'rewrite' ? rewriteOperations(raw, decision) : []),
    ...(marks === undefined ? [] : markOperations(raw, marks))
  ]
}

function rewriteOperations(raw: unknown, rewrite: Rewrite): readonly PatchOperation[] {
  return [
    ...rewrite.changes.flatMap((change) => resourceOperations(raw, change)),
    ...claimOperations(raw, rewrite.changes),
    ...setAll(raw, ['spec', 'nodeSelector'], rewrite.nodeSelector),
    ...tolerationOperations(raw, rewrite.tolerates),
    ...schedulerOperations(raw, rewrite.schedulerName)
  ]
}

function resourceOperations(raw: unknown, { container, ask }: ContainerChange): PatchOperation[] {
  const wanted = Object.entries(ask.resources)
  const list = fieldAt(raw, 'spec', container.list)
  const resources = fieldOf(Array.isArray(list) ? list[container.index] : undefined, 'resources')
  return ['limits', 'requests'].flatMap((part): PatchOperation[] => {
    const map = fieldOf(resources, part)
    if (!isRecord(map)) return []
    const hasWhole = fieldOf(map, WHOLE_GPU) !== undefined
    if (!hasWhole && !wanted.some(([name]) => Object.hasOwn(map, name))) return []
    const path = (name: string): string =>
      pointer('spec', container.list, container.index, 'resources', part, name)
    return [
      ...(hasWhole && !Object.hasOwn(ask.resources, WHOLE_GPU)
        ? [{ op: 'remove', path: path(WHOLE_GPU) } as const]
        : []),
      ...wanted
        .filter(([name, count]) => !says(map, name, count))
        .map(([name, count]) => operationFor(path(name), count))
    ]
  })
}

function operationFor(path: string, count: number): PatchOperation {
  return count === 0 ? { op: 'remove', path } : { op: 'add', path, value: String(count) }
}

/** Claims come only to a pod that has none; one that has them has them from us. */
function claimOperations(raw: unknown, changes: readonly ContainerChange[]): PatchOperation[] {
  const asking = changes.filter(({ ask }) => ask.claimTemplate !== undefined)
  const spec = fieldOf(raw, 'spec')
  if (asking.length === 0 || !isRecord(spec) || listOf(spec, 'resourceClaims').length > 0) return []
  const templates = new Map(asking.map(({ claim, ask }) => [claim, ask.claimTemplate]))
  const value = [...templates].map(([name, template]) => ({ name, resourceClaimTemplateName: template }))
  return [
    { op: 'add', path: pointer('spec', 'resourceClaims'), value },
    ...asking.flatMap(({ container, claim }): PatchOperation[] => {
      const own = listOf(spec, container.list)[container.index]
      if (!isRecord(fieldOf(own, 'resources'))) return []
      const path = pointer('spec', container.list, container.index, 'resources', 'claims')
      return [{ op: 'add', path, value: [{ name: claim }] }]
    })
  ]
}

/** Whether the map says so many of the resource, in whatever spelling; what is not there is 0. */
function says(map: JsonRecord, resource: string, count: number): boolean {
  return Object.hasOwn(map, resource) ? quantityToCount(map[resource]) === count : count === 0
}

/** One toleration for each taint. */
function tolerationOperations(raw: unknown, taints: Rewrite['tolerates']): PatchOperation[] {
  const missing = taints.map(tolerationOf)
  if (missing.length === 0 || !isRecord(fieldOf(raw, 'spec'))) return []
  if (!Array.isArray(fieldAt(raw, 'spec', 'tolerations')))
    return [{ op: 'add', path: pointer('spec', 'tolerations'), value: missing }]
  return missing.map((value) => ({ op: 'add', path: pointer('spec', 'tolerations', '-'), value }))
}

function tolerationOf({ key, value, effect }: Rewrite['tolerates'][number]): JsonRecord {
  return value === '' ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect }
}

function schedulerOperations(raw: unknown, schedulerName: string | undefined): PatchOperation[] {
  const spec = fieldOf(raw, 'spec')
  if (schedulerName === undefined || !isRecord(spec) || spec.schedulerName === schedulerName) return []
  return [{ op: 'add', path: pointer('spec', 'schedulerName'), value: schedulerName }]
}

/**
 * Sets entries of a map of strings, making the map where it is missing; entries that are there already stay.
 * An object without the map's own parent is no pod, and nothing can be set on it.
 */
function setAll(
  raw: unknown,
  path: readonly string[],
  entries: Readonly<Record<string, string>>
): PatchOperation[] {
  const names = Object.keys(entries).sort()
  const map = fieldAt(raw, ...path)
  if (names.length === 0 || !isRecord(fieldAt(raw, ...path.slice(0, -1)))) return []
  if (!isRecord(map)) {
    const value = Object.fromEntries(names.map((name) => [name, entries[name]]))
    return [{ op: 'add', path: pointer(...path), value }]
  }
  return names
    .filter((name) => !(Object.hasOwn(map, name) && map[name] === entries[name]))
    .map((name) => ({ op: 'add', path: pointer(...path, name), value: entries[name] }))
}

/** Our marks become exactly these: others that are reserved to us are removed, whoever put them there. */
function markOperations(raw: unknown, { annotations, labels }: Marks): PatchOperation[] {
  return [
    ...removeOthers(raw, ['metadata', 'annotations'], reservedKeys.annotations, annotations),
    ...setAll(raw, ['metadata', 'annotations'], annotations),
    ...removeOthers(raw, ['metadata', 'labels'], reservedKeys.labels, labels),
    ...setAll(raw, ['metadata', 'labels'], labels)
  ]
}

function removeOthers(
  raw: unknown,
  path: readonly string[],
  reserved: readonly string[],
  kept: JsonRecord
): PatchOperation[] {
  const map = fieldAt(raw, ...path)
  if (!isRecord(map)) return []
  return reserved
    .filter((name) => Object.hasOwn(map, name) && !Object.hasOwn(kept, name))
    .map((name) => ({ op: 'remove', path: pointer(...path, name) }))
}
