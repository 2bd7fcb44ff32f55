import { z } from 'zod'
import type { MetricDialect, OwnerLabels } from '../core/usage/dialect.ts'

/** The name, what the metric says and its unit: `acme_fb_bytes=memory/bytes`. @source Prometheus data model, metric names */
const metricForm =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)=(?:(memory)\/(MiB|bytes)|(memory-ratio|sm-active|gr-engine-active)\/(ratio|percent))$/

const parameterForm = /^([a-zA-Z_][a-zA-Z0-9_.-]*)=(.*)$/s

/** Parameters that each question of ours sets itself. @source Prometheus HTTP API */
const ownParameters: readonly string[] = [
  'query',
  'time',
  'timeout',
  'start',
  'end',
  'step',
  'match',
  'limit'
]

/** A metric under a name of the user's own. */
export const MetricName = z
  .string()
  .regex(
    metricForm,
    'must be NAME=memory/MiB, NAME=memory/bytes, or NAME=KIND/ratio or NAME=KIND/percent with KIND memory-ratio, sm-active or gr-engine-active'
  )

/** A parameter of every query. */
export const QueryParameter = z
  .string()
  .refine(
    (text) => isParameter(parameterForm.exec(text)?.[1]),
    'must be NAME=VALUE, and no parameter of the query itself'
  )

/** Name of a label. @source Prometheus data model, label names */
export const LabelName = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'must be the name of a label')

function isParameter(name: string | undefined): boolean {
  return name !== undefined && !ownParameters.includes(name)
}

/** Metrics as sources read them, from texts that `MetricName` accepts. */
export function readMetricNames(texts: readonly string[]): readonly MetricDialect[] {
  return texts.flatMap((text) => {
    const [, name = '', memory, size, ratio, part] = metricForm.exec(text) ?? []
    const metric = kindOf(memory ?? ratio)
    const unit = unitOf(size ?? part)
    return metric === undefined || unit === undefined ? [] : [{ name, metric, unit }]
  })
}

const kinds: readonly MetricDialect['metric'][] = ['memory', 'memory-ratio', 'sm-active', 'gr-engine-active']
const units: readonly MetricDialect['unit'][] = ['MiB', 'bytes', 'ratio', 'percent']

function kindOf(text: string | undefined): MetricDialect['metric'] | undefined {
  return kinds.find((kind) => kind === text)
}

function unitOf(text: string | undefined): MetricDialect['unit'] | undefined {
  return units.find((unit) => unit === text)
}

/** Labels of the owner, from three names: namespace, pod, container; undefined without them. */
export function readOwnerLabels([namespace, pod, container]: readonly string[]): OwnerLabels | undefined {
  return namespace === undefined || pod === undefined || container === undefined
    ? undefined
    : { name: 'own', namespace, pod, container }
}

/** Parameters by name, from texts that `QueryParameter` accepts; of two with one name the last counts. */
export function readParameters(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name = '', value = ''] = parameterForm.exec(text) ?? []
      return [name, value]
    })
  )
}
