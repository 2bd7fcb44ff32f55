import {
  chooseOwnerFamily,
  deviceLabelNames,
  type MetricDialect,
  metricDialects,
  type OwnerLabels,
  ownerFamilies,
  readLabelNames
} from '../core/usage/dialect.ts'
import { cleanLabel } from '../core/usage/dialect-labels.ts'
import { readStrings } from './api-answer.ts'
import type { Asking } from './asking.ts'
import { faultOf } from './fault.ts'
import { selector, timeParameter } from './promql.ts'
import { noteUnsplit } from './query.ts'

/** One metric as this server has it: its name, the labels that tell the owner, and what to page by. */
export interface FoundMetric {
  readonly dialect: MetricDialect
  readonly family: OwnerLabels | undefined
  /** Families that may tell the owner of series that the chosen one does not, the likeliest first. */
  readonly otherFamilies: readonly OwnerLabels[]
  readonly uuidLabel: string | undefined
  /** Labels kept by queries for series with the chosen family's labels. */
  readonly by: readonly string[]
  /** Labels kept by queries for the others: those of the other families too. */
  readonly byOfRest: readonly string[]
  readonly namespaces: readonly string[]
}

/** What may be found, and the stretch of time in which it is looked for. */
export interface FindOptions {
  readonly own: readonly MetricDialect[]
  readonly ownerLabels: OwnerLabels | undefined
  readonly fromMs: number
  readonly toMs: number
}

/** Namespaces of one metric that are looked at, at most. */
const MAX_NAMESPACES = 10_000

/**
 * Finds the metrics that the server has, with their labels and namespaces: a few questions answered from its index.
 * Memory as a ratio is read only where memory in MiB is not there.
 * @returns none, with a fault in the book, when there is nothing to read
 */
export async function findMetrics(asking: Asking, options: FindOptions): Promise<readonly FoundMetric[]> {
  const known = [...options.own, ...metricDialects]
  const names = [...new Set(known.map(({ name }) => name))]
  const present = await listValues(asking, '__name__', `{__name__=~"${names.join('|')}"}`, options)
  if (present === undefined) return []
  const chosen = chooseDialects(known, new Set(present))
  if (chosen.length === 0) {
    asking.faults.add(
      faultOf('no-metric', `none of these metrics is there: ${names.slice(0, 6).join(', ')}, …`)
    )
  }
  const found = await Promise.all(chosen.map((dialect) => describe(asking, dialect, options)))
  return found.flatMap((metric) => metric ?? [])
}

function chooseDialects(
  known: readonly MetricDialect[],
  present: ReadonlySet<string>
): readonly MetricDialect[] {
  const there = known.filter(({ name }, index) => {
    return present.has(name) && known.findIndex((other) => other.name === name) === index
  })
  const hasMemory = there.some(({ metric }) => metric === 'memory')
  return hasMemory ? there.filter(({ metric }) => metric !== 'memory-ratio') : there
}

async function describe(
  asking: Asking,
  dialect: MetricDialect,
  options: FindOptions
): Promise<FoundMetric | undefined> {
  const match = selector(dialect.name, [])
  const form = { 'match[]': match, ...stretch(options) }
  const labels = await askStrings(asking, { method: 'POST', path: '/api/v1/labels', form })
  if (labels === undefined) return undefined
  const has = new Set(labels)
  const families = options.ownerLabels === undefined ? ownerFamilies : [options.ownerLabels]
  const family = chooseOwnerFamily(has, families)
  const values = family === undefined ? [] : await listValues(asking, family.namespace, match, options)
  if (values === undefined) return undefined
  if (values.length > MAX_NAMESPACES) {
    asking.faults.add(faultOf('too-large', `${dialect.name}: ${values.length} namespaces`))
  }
  const own = new Set(ownerNames(family))
  const read = new Set([...readLabelNames, ...own])
  const byOfRest = labels.filter((name) => read.has(name)).sort()
  const otherOwners = new Set(families.flatMap(ownerNames).filter((name) => !own.has(name)))
  return {
    dialect,
    family,
    otherFamilies: families.filter(
      (other) => other !== family && has.has(other.pod) && has.has(other.namespace)
    ),
    uuidLabel: deviceLabelNames.gpuUuid.find((name) => has.has(name)),
    by: byOfRest.filter((name) => !otherOwners.has(name)),
    byOfRest,
    namespaces: values.filter(isNamespace).sort().slice(0, MAX_NAMESPACES)
  }
}

function ownerNames(family: OwnerLabels | undefined): readonly string[] {
  return family === undefined ? [] : [family.namespace, family.pod, family.container]
}

/** A value that cannot be a namespace is not asked for: its series could belong to nobody. */
function isNamespace(value: string): boolean {
  return value !== '' && value.length <= 63 && cleanLabel(value) === value
}

function listValues(
  asking: Asking,
  label: string,
  match: string,
  options: FindOptions
): Promise<readonly string[] | undefined> {
  const path = `/api/v1/label/${label}/values`
  return askStrings(asking, { method: 'GET', path, form: { 'match[]': match, ...stretch(options) } })
}

async function askStrings(
  asking: Asking,
  question: Parameters<Asking['ask']>[0]
): Promise<readonly string[] | undefined> {
  const envelope = await asking.ask(question)
  if (envelope.kind === 'fault') {
    noteUnsplit(asking, envelope.fault)
    return undefined
  }
  for (const warning of envelope.warnings)
    asking.faults.add(faultOf('partial-answer', `${question.path}: ${warning}`))
  const strings = readStrings(envelope.data)
  if (strings === undefined) asking.faults.add(faultOf('bad-answer', `${question.path}: no list of strings`))
  return strings
}

function stretch({ fromMs, toMs }: FindOptions): Record<string, string> {
  return { start: timeParameter(fromMs), end: timeParameter(toMs) }
}
