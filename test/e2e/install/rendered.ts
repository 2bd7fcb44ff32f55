import { parseAllDocuments } from 'yaml'
import { fieldAt, fieldOf, isRecord, type JsonRecord, stringOf } from '../../../src/core/json.ts'
import { rightslice } from '../history-steps.ts'

/** What `rightslice manifests` prints for these values. */
export async function manifests(...pairs: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await rightslice('manifests', ...pairs.flatMap((pair) => ['--set', pair]))
  if (code !== 0) throw new Error(stderr)
  return stdout
}

/** Objects of a YAML text by kind and name; without those that are only there for Helm, and without its marks. */
export function objectsOf(text: string): Readonly<Record<string, unknown>> {
  const objects = parseAllDocuments(text).map((document): unknown => document.toJS())
  return Object.fromEntries(
    objects.filter(isRecord).flatMap((object) => {
      const annotations = fieldAt(object, 'metadata', 'annotations')
      if (fieldOf(annotations, 'helm.sh/hook') !== undefined) return []
      const key = `${String(object['kind'])} ${String(fieldAt(object, 'metadata', 'name'))}`
      return [[key, withSortedVariables(withoutKeepMark(object))]]
    })
  )
}

function withoutKeepMark(object: JsonRecord): JsonRecord {
  const { annotations, ...metadata } = Object(object['metadata'])
  const { 'helm.sh/resource-policy': _keep, ...others } = Object(annotations)
  const left = Object.keys(others).length === 0 ? {} : { annotations: others }
  return { ...object, metadata: { ...metadata, ...left } }
}

/** Variables are known by their names; kustomize puts those of a patch first, and Helm sorts those of a map. */
function withSortedVariables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedVariables)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    key === 'env' ? sortedByName(inner) : withSortedVariables(inner)
  ])
  return Object.fromEntries(entries)
}

function sortedByName(entries: unknown): readonly unknown[] {
  const nameOf = (entry: unknown): string => stringOf(entry, 'name') ?? ''
  return Array.isArray(entries) ? entries.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b))) : []
}
