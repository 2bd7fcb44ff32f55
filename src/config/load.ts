import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import type { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { isRecord } from '../core/json.ts'
import { Config, type ConfigKey, VARIABLE_PREFIX, variableOf } from './schema.ts'

/** Environment variable that names the configuration file. */
const FILE_VARIABLE = `${VARIABLE_PREFIX}CONFIG`

/** Where settings come from, weakest last; each is optional. */
export interface ConfigSources {
  /** Settings of the command line, by key. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** YAML file with settings by key; default: what RIGHTSLICE_CONFIG names. */
  readonly file?: string | undefined
}

/** A value and where it came from. */
interface Setting {
  readonly value: unknown
  readonly origin: string
}

type Settings = ReadonlyMap<string, Setting>

/**
 * The settings of this process: command line, then environment, then file, then defaults.
 * @throws AppError CONFIG_INVALID with one line for every fault: key, what is wrong, value and where it came from
 */
export async function loadConfig(sources: ConfigSources = {}): Promise<Config> {
  const { env = process.env, flags = {} } = sources
  const file = sources.file ?? env[FILE_VARIABLE]
  const fromFile = file === undefined ? new Map<string, Setting>() : await readSettings(file)
  const settings: Settings = new Map([
    ...fromFile,
    ...standardsOf(env),
    ...variablesOf(env),
    ...flagsOf(flags)
  ])
  const read = Config.safeParse(
    Object.fromEntries([...settings].map(([key, { value }]) => [key, value] as const))
  )
  if (!read.success) throw invalid(read.error.issues.flatMap((issue) => linesOf(issue, settings)))
  const { ownNamespace, systemNamespaces } = read.data
  const protectedNamespaces = [...new Set([...systemNamespaces, ownNamespace])]
  for (const value of Object.values(read.data)) Object.freeze(value)
  return Object.freeze({ ...read.data, systemNamespaces: Object.freeze(protectedNamespaces) })
}

async function readSettings(file: string): Promise<Settings> {
  const content = await readYaml(file)
  if (content === undefined || content === null) return new Map()
  if (!isRecord(content)) throw invalid([`${file}: must hold settings by key, one a line`])
  return new Map(Object.entries(content).map(([key, value]) => [key, { value, origin: file }]))
}

async function readYaml(file: string): Promise<unknown> {
  try {
    return parse(await readFile(file, 'utf8'))
  } catch (cause) {
    const [first = ''] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw invalid([`${file}: cannot be read: ${first}`], cause)
  }
}

/** Variables of standards that hold a setting, unless a variable of ours does. */
const standardVariables: Readonly<Record<string, ConfigKey>> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'otlpEndpoint'
}

/** Variables that a cluster sets for a Service called `rightslice` or `rightslice-…`; no settings of ours. */
const serviceLink = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/

/** An empty variable says nothing, as its standard has it. */
function standardsOf(env: Readonly<Record<string, string | undefined>>): Settings {
  const set = Object.entries(standardVariables).filter(([variable]) => env[variable])
  return new Map(set.map(([variable, key]) => [key, { value: env[variable], origin: variable }]))
}

function variablesOf(env: Readonly<Record<string, string | undefined>>): Settings {
  const known = new Map<string, string>(Config.keyof().options.map((key) => [variableOf(key), key]))
  const settings = new Map<string, Setting>()
  for (const variable of Object.keys(env).sort()) {
    const value = env[variable]
    if (value === undefined || !variable.startsWith(VARIABLE_PREFIX) || variable === FILE_VARIABLE) continue
    const isLink = serviceLink.test(variable) || (variable.endsWith('_PORT') && value.includes('://'))
    if (!isLink) settings.set(known.get(variable) ?? variable, { value, origin: variable })
  }
  return settings
}

function flagsOf(flags: Readonly<Record<string, unknown>>): Settings {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  return new Map(given.map(([key, value]) => [key, { value, origin: 'command line' }]))
}

type Issue = z.core.$ZodIssue

function linesOf(issue: Issue, settings: Settings): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [lineOf(issue, settings)]
  return issue.keys.map((key) => {
    const origin = settings.get(key)?.origin
    return `${key}: no such setting${origin === key ? '' : ` (from ${origin})`}`
  })
}

function lineOf({ path, message }: Issue, settings: Settings): string {
  const [key = '', ...rest] = path.map(String)
  const setting = settings.get(key)
  const entry = rest.reduce<unknown>(
    (value, step) => (Array.isArray(value) ? value[Number(step)] : undefined),
    setting?.value
  )
  const shown = JSON.stringify(entry ?? setting?.value)
  return `${[key, ...rest].join('.')}: ${message} (is ${shown}, from ${setting?.origin})`
}

function invalid(lines: readonly string[], cause?: unknown): AppError {
  return new AppError('CONFIG_INVALID', `configuration: ${lines.join('\n  ')}`, { cause })
}
