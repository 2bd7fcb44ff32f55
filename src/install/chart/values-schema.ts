import { z } from 'zod'
import { Config, configOptions } from '../../config/schema.ts'
import { fieldAt, fieldOf, type JsonRecord, listOf } from '../../core/json.ts'
import { type InstallKey, InstallValues, openSettings, valueSentences } from '../values.ts'

/** The JSON schema by which Helm refuses values; strict, with the sentence of each value. */
export function valuesSchema(): JsonRecord {
  const schema = z.toJSONSchema(InstallValues, { io: 'input', target: 'draft-7' })
  const keys = Object.keys(valueSentences) as InstallKey[]
  const properties = keys.map((key) => {
    const own = key === 'settings' ? settingsSchema() : Object(fieldAt(schema, 'properties', key))
    return [key, { description: valueSentences[key], ...own }]
  })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties)
  }
}

function settingsSchema(): JsonRecord {
  const known = z.toJSONSchema(Config, { io: 'output', unrepresentable: 'any', target: 'draft-7' })
  const properties = openSettings.map((key) => {
    const description = configOptions().find((option) => option.key === key)?.sentence ?? ''
    return [key, { description, ...settingSchema(fieldAt(known, 'properties', key), key) }]
  })
  return {
    type: 'object',
    additionalProperties: false,
    default: {},
    properties: Object.fromEntries(properties)
  }
}

/** Settings that hold an address, in which no password may stand. */
const addresses = ['prometheusUrl', 'otlpEndpoint']

/**
 * A list is written with commas, as in a variable; where nothing is set, the default of the process holds. Helm takes what `--set` gives
 * for a number only when it is whole, so one with a point may be text.
 */
function settingSchema(schema: unknown, key: string): JsonRecord {
  const type = fieldOf(schema, 'type')
  if (type === 'array') return { type: 'string', minLength: 1 }
  if (addresses.includes(key)) return { type, pattern: '^https?://[^@\\s]+$' }
  const values = listOf(schema, 'enum')
  const bounds = ['minimum', 'maximum', 'minLength'].flatMap((name) => {
    const bound = fieldOf(schema, name)
    return bound === undefined ? [] : [[name, bound]]
  })
  const limits = Object.fromEntries(bounds)
  if (type === 'number') return { type: ['number', 'string'], ...limits, pattern: '^\\d+\\.\\d+$' }
  return { type, ...(values.length === 0 ? {} : { enum: values }), ...limits }
}
