import type { TextRule } from '../api/crd-field.ts'
import { durationRule } from '../api/gpu-policy-rules.ts'
import { parseDuration } from './duration.ts'
import type { Fault, Parsed } from './fault.ts'
import { parseProfileList } from './profile-list.ts'
import { type PolicyWindow, parseWindow, parseWindows } from './window.ts'

/** A value as far as it could be read, and what is wrong with it. */
export interface Read<T> {
  readonly value: T
  readonly faults: readonly Fault[]
}

/** The value at a path of keys in any JSON; undefined when there is none. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    const isHeld = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    return isHeld ? (value as Readonly<Record<PropertyKey, unknown>>)[key] : undefined
  }, root)
}

function fieldName(path: readonly string[]): string {
  return ['spec', ...path].join('.')
}

/** Reads a ratio at `path` of a spec; `standard` counts when the spec says nothing, undefined when there is none. */
export function readRatio(
  spec: unknown,
  path: readonly string[],
  parse: (value: unknown) => Parsed<{ readonly ratio: number }>,
  standard?: string
): Read<number | undefined> {
  const value = valueAt(spec, path) ?? standard
  if (value === undefined) {
    return { value: undefined, faults: [] }
  }
  const parsed = parse(value)
  return parsed.ok
    ? { value: parsed.ratio, faults: [] }
    : { value: undefined, faults: [{ field: fieldName(path), value, message: parsed.message }] }
}

/** Reads a duration at `path` of a spec, in seconds; `standard` counts when the spec says nothing. */
export function readDuration(spec: unknown, path: readonly string[], standard: string): Read<number> {
  const value = valueAt(spec, path) ?? standard
  const seconds = parseDuration(value)
  return seconds === undefined
    ? { value: 0, faults: [{ field: fieldName(path), value, message: durationRule.message }] }
    : { value: seconds, faults: [] }
}

/** Reads MIG profiles at `path` of a spec; undefined when the spec says nothing. */
export function readProfiles(spec: unknown, path: readonly string[]): Read<readonly string[] | undefined> {
  const values = valueAt(spec, path)
  if (!Array.isArray(values)) {
    return { value: undefined, faults: [] }
  }
  const { profiles, refused } = parseProfileList(values)
  const faults = refused
    .filter(({ value }) => typeof value === 'string')
    .map(({ index, value, message }) => ({ field: `${fieldName(path)}[${index}]`, value, message }))
  return { value: profiles, faults }
}

/** Faults of the texts and numbers that do not look as the rule says; values of other types are faults of shape. */
export function checkTexts(
  entries: readonly { readonly field: string; readonly value: unknown }[],
  { pattern, message }: TextRule
): readonly Fault[] {
  return entries
    .filter(({ value }) => typeof value === 'string' || typeof value === 'number')
    .filter(({ value }) => !new RegExp(pattern).test(String(value)))
    .map(({ field, value }) => ({ field, value, message }))
}

/** Reads `window` or `windows` of a spec. */
export function readWindows(spec: unknown): Read<readonly PolicyWindow[]> {
  const [one, many] = [valueAt(spec, ['window']), valueAt(spec, ['windows'])]
  const list = parseWindows(Array.isArray(many) ? many : [], 'spec.windows')
  if (one === undefined) {
    return { value: list.windows, faults: list.faults }
  }
  const parsed = parseWindow(one)
  const both = { field: 'spec.windows', value: many, message: 'must not be given together with window' }
  return {
    value: parsed.ok ? [parsed.window] : [],
    faults: [
      ...(parsed.ok ? [] : [{ field: 'spec.window', value: one, message: parsed.message }]),
      ...(many === undefined ? [] : [both]),
      ...list.faults
    ]
  }
}
