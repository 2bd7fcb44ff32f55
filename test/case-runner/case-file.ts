import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { fieldAt, isRecord, type JsonRecord, stringOf } from '../../src/core/json.ts'

/** One situation from the field with the right answer. */
export interface CaseFile {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly input: JsonRecord
  readonly nodes: readonly unknown[]
  readonly history: JsonRecord
  readonly expect: JsonRecord
  readonly check: JsonRecord
}

/** Every case of a folder, ordered by file name. Throws on a file that is no case. */
export function readCases(directory: string): readonly CaseFile[] {
  const files = readdirSync(directory).filter((name) => /\.ya?ml$/.test(name))
  return files
    .sort()
    .map((name) => toCase(parse(readFileSync(join(directory, name), 'utf8')), basename(name)))
}

function toCase(raw: unknown, file: string): CaseFile {
  const id = stringOf(raw, 'id')
  const kind = stringOf(raw, 'kind')
  const expect = fieldAt(raw, 'expect')
  if (id === undefined || kind === undefined || !isRecord(expect)) {
    throw new Error(`${file} is no case: it needs id, kind and expect`)
  }
  const nodes = fieldAt(raw, 'cluster', 'nodes')
  return {
    id,
    kind,
    title: file.replace(/^\d+-|\.ya?ml$/g, ''),
    input: recordOr(fieldAt(raw, 'input')),
    nodes: Array.isArray(nodes) ? nodes : [],
    history: recordOr(fieldAt(raw, 'history')),
    expect,
    check: recordOr(expect.check)
  }
}

/** The value as an object; an empty one for anything else. */
export function recordOr(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

/** The blocks of a case that are run: itself, and each variant with its changes merged in. */
export function expandVariants(file: CaseFile): readonly CaseFile[] {
  const { variants, ...own } = file.check
  if (!Array.isArray(variants)) return [file]
  return [
    { ...file, check: own },
    ...variants.map((variant, index) => {
      const { with: changes, decision, ...check } = recordOr(variant)
      return {
        ...file,
        id: `${file.id}.${index + 1}`,
        input: merge(file.input, recordOr(changes)),
        expect: { ...file.expect, decision: decision ?? file.expect.decision },
        check
      }
    })
  ]
}

/** Merges objects; null unsets a field, a list replaces one. */
function merge(base: JsonRecord, changes: JsonRecord): JsonRecord {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, change] of Object.entries(changes)) {
    if (change === null) delete merged[key]
    else merged[key] = isRecord(change) ? merge(recordOr(base[key]), change) : change
  }
  return merged
}
