/** A JSON schema, read one key at a time. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Keys that a structural schema may hold and that we pass on as they are. */
const passedOn = new Set([
  'type',
  'description',
  'default',
  'enum',
  'format',
  'nullable',
  'pattern',
  'required',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations'
])

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapValues(value: unknown): JsonSchema {
  const entries = Object.entries(isObject(value) ? value : {})
  return Object.fromEntries(entries.map(([name, schema]) => [name, toStructuralSchema(schema)]))
}

/** Zod bounds every integer by ±(2^53-1), which no admin wrote. */
function isMeant(bound: unknown): boolean {
  return typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
}

/** A map's values have a schema of their own; `false` and `{}` only say whether zod refuses unknown keys. */
function isMapSchema(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0
}

function translate(key: string, value: unknown, isUnion: boolean): JsonSchema {
  switch (key) {
    case 'properties':
      return { properties: mapValues(value) }
    case 'items':
      return { items: toStructuralSchema(value) }
    case 'additionalProperties':
      return isMapSchema(value) ? { additionalProperties: toStructuralSchema(value) } : {}
    case 'minimum':
    case 'maximum':
      return isMeant(value) ? { [key]: value } : {}
    default:
      return isUnion && key === 'anyOf' ? {} : passOn(key, value)
  }
}

function passOn(key: string, value: unknown): JsonSchema {
  if (!passedOn.has(key)) {
    throw new TypeError(`no structural schema for the JSON schema key ${key}`)
  }
  return { [key]: value }
}

/**
 * The structural schema that the API server takes, from the JSON schema that zod makes: unknown keys are pruned instead of
 * refused, bounds of zod's own are dropped, and int-or-string loses its alternatives.
 * @throws TypeError when `schema` holds a key that has no structural form; a fault of ours that the first test run finds
 * @source https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export function toStructuralSchema(schema: unknown): JsonSchema {
  const given = isObject(schema) ? schema : {}
  const isUnion = given['x-kubernetes-int-or-string'] === true
  return Object.entries(given).reduce<JsonSchema>(
    (done, [key, value]) => ({ ...done, ...translate(key, value, isUnion) }),
    {}
  )
}
