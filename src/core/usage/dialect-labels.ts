import { gpuModels } from '../gpu/catalog.ts'
import { deviceLabelNames, exporterContainers, type OwnerLabels } from './dialect.ts'
import type { DeviceLabels, DeviceMetric } from './dialect-series.ts'

/** A series read, or why it cannot be. */
export type ReadLabels =
  | { readonly kind: 'labels'; readonly labels: DeviceLabels }
  | { readonly kind: 'discard'; readonly why: 'unreadable-labels' | 'exporter-itself' }

/** Longest label value that is kept, characters; a DNS name has 253. */
const MAX_LABEL_LENGTH = 253

/** Names that Kubernetes can give to namespaces and containers, and to pods. @source RFC 1123 as Kubernetes applies it */
const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const dnsSubdomain = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Control characters, line and paragraph separators, and invisible marks such as those that turn the direction of writing. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Spelling of a model by its name in lower case, for pipelines that lower everything. */
const productLabels = new Map(
  gpuModels.flatMap(({ productLabels: labels }) => labels.map(({ value }) => [value.toLowerCase(), value]))
)

/** A label value as it may be shown: without control characters and turning marks, at most 253 characters. */
export function cleanLabel(value: string): string {
  return value
    .slice(0, 4 * MAX_LABEL_LENGTH)
    .replace(unprintable, '')
    .slice(0, MAX_LABEL_LENGTH)
}

/**
 * Model name as the product label of a node spells it: blanks become dashes; lower case finds the known spelling.
 * @example 'NVIDIA H100 80GB HBM3' gives 'NVIDIA-H100-80GB-HBM3'
 */
export function toProductLabel(modelName: string): string {
  const dashed = cleanLabel(modelName).trim().replace(/\s+/g, '-')
  return productLabels.get(dashed.toLowerCase()) ?? dashed
}

/**
 * Puts the labels of one series under our own names.
 * A pod, namespace or container that Kubernetes could not have named so makes the whole series unreadable: mended, it might pass for
 * another's. Without a pod the series is the device's own. The owner is taken from one family, never mixed.
 * @param family labels that tell the owner, as `chooseOwnerFamily` found them; undefined: none do
 */
export function readLabels(
  raw: Readonly<Record<string, string>>,
  metric: DeviceMetric,
  family: OwnerLabels | undefined
): ReadLabels {
  const owner = readOwner(raw, family)
  if (owner === undefined) return { kind: 'discard', why: 'unreadable-labels' }
  if (owner.pod !== '' && exporterContainers.includes(owner.container)) {
    return { kind: 'discard', why: 'exporter-itself' }
  }
  const optional = readOptional(raw, owner.pod !== '')
  const perProcess = metric === 'memory' && optional.replica !== undefined && optional.podUid !== undefined
  return {
    kind: 'labels',
    labels: {
      ...owner,
      ...optional,
      node: first(raw, deviceLabelNames.node),
      gpuUuid: toGpuUuid(first(raw, deviceLabelNames.gpuUuid)),
      gpuIndex: first(raw, deviceLabelNames.gpuIndex),
      model: toProductLabel(first(raw, deviceLabelNames.model)),
      perProcess
    }
  }
}

type Optional = Pick<DeviceLabels, 'podUid' | 'gpuInstanceId' | 'migProfile' | 'replica'>

function readOptional(raw: Readonly<Record<string, string>>, hasPod: boolean): Optional {
  const podUid = hasPod ? first(raw, deviceLabelNames.podUid) : ''
  const gpuInstanceId = first(raw, deviceLabelNames.gpuInstanceId)
  const migProfile = first(raw, deviceLabelNames.migProfile)
  const replica = first(raw, deviceLabelNames.replica)
  return {
    ...(podUid !== '' && { podUid }),
    ...(gpuInstanceId !== '' && { gpuInstanceId }),
    ...(migProfile !== '' && { migProfile }),
    ...(replica !== '' && { replica })
  }
}

type Owner = Pick<DeviceLabels, 'namespace' | 'pod' | 'container'>

const nobody: Owner = { namespace: '', pod: '', container: '' }

function readOwner(
  raw: Readonly<Record<string, string>>,
  family: OwnerLabels | undefined
): Owner | undefined {
  if (family === undefined) return nobody
  const namespace = own(raw, family.namespace)
  const pod = own(raw, family.pod)
  const container = own(raw, family.container)
  if (pod === '' || namespace === '') return nobody
  const named =
    dnsLabel.test(namespace) && dnsSubdomain.test(pod) && (container === '' || dnsLabel.test(container))
  return named ? { namespace, pod, container } : undefined
}

function first(raw: Readonly<Record<string, string>>, names: readonly string[]): string {
  for (const name of names) {
    const value = cleanLabel(own(raw, name))
    if (value !== '') return value
  }
  return ''
}

function own(raw: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(raw, name) ? (raw[name] ?? '') : ''
}

/** The vendor writes `GPU-` and lower case hex digits; some pipelines lower the prefix too. */
function toGpuUuid(value: string): string {
  const [, rest] = /^gpu-(.+)$/i.exec(value) ?? []
  return rest === undefined ? value : `GPU-${rest.toLowerCase()}`
}
