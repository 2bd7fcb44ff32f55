/** A JSON object whose fields are not known yet. */
export type JsonRecord = { readonly [key: string]: unknown }

/** Whether `value` is a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Own field of an object; undefined for anything that is not an object. Inherited names (`constructor`) are no fields. */
export function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** Field at a path of own fields, undefined where a step is missing. */
export function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce(fieldOf, value)
}

/** String field, undefined when it is missing, empty or of another type. */
export function stringOf(value: unknown, key: string): string | undefined {
  const field = fieldOf(value, key)
  return typeof field === 'string' && field !== '' ? field : undefined
}

/** Object field, undefined when it is missing or of another type. */
export function recordOf(value: unknown, key: string): JsonRecord | undefined {
  const field = fieldOf(value, key)
  return isRecord(field) ? field : undefined
}

/** Elements of an array field; empty when it is missing or of another type. */
export function listOf(value: unknown, key: string): readonly unknown[] {
  const field = fieldOf(value, key)
  return Array.isArray(field) ? field : []
}

/** Elements of an array field that are strings. */
export function stringsOf(value: unknown, key: string): readonly string[] {
  return listOf(value, key).filter((item) => typeof item === 'string')
}

/** String values of an object field, as a record without a prototype; entries of other types are dropped. */
export function stringMapOf(value: unknown, key: string): Readonly<Record<string, string>> {
  const field = fieldOf(value, key)
  const map: Record<string, string> = Object.create(null)
  if (!isRecord(field)) return map
  for (const name of Object.keys(field)) {
    const text = field[name]
    if (typeof text === 'string') map[name] = text
  }
  return map
}

/** The same object without one of its fields; anything that is no object is returned as it is. */
export function withoutField(value: unknown, key: string): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) : value
}
