import { parseQuantity } from '../../api/quantity.ts'
import { fieldOf, isRecord, type JsonRecord, listOf, recordOf, stringOf } from '../../json.ts'
import {
  type AttributeValue,
  type ByDomain,
  type Consumption,
  type Device,
  individualAttributes
} from './device.ts'

/** One device with what it takes of shared counters. */
export interface SliceDevice {
  readonly device: Device
  /** Empty for a device that shares nothing. */
  readonly consumes: Consumption
}

/** The part of a ResourceSlice that is read: devices of one node, or counters that they share. */
export interface DeviceSlice {
  readonly name: string
  readonly node: string
  /** `DRIVER/POOL` */
  readonly pool: string
  readonly generation: number
  /** Slices that make up the pool in this generation. */
  readonly sliceCount: number
  /** By `SET/COUNTER`. */
  readonly counters: Consumption
  /** Those with a taint that keeps claims away are left out. */
  readonly devices: readonly SliceDevice[]
}

/** Reads a ResourceSlice; undefined for one that is not of one node alone. Never throws. */
export function readDeviceSlice(raw: unknown): DeviceSlice | undefined {
  const spec = fieldOf(raw, 'spec')
  const pool = fieldOf(spec, 'pool')
  const [node, driver, poolName] = [
    stringOf(spec, 'nodeName'),
    stringOf(spec, 'driver'),
    stringOf(pool, 'name')
  ]
  if (node === undefined || driver === undefined || poolName === undefined) return undefined
  return {
    name: stringOf(fieldOf(raw, 'metadata'), 'name') ?? '',
    node,
    pool: `${driver}/${poolName}`,
    generation: wholeOf(fieldOf(pool, 'generation')),
    sliceCount: wholeOf(fieldOf(pool, 'resourceSliceCount')),
    counters: countersOf(listOf(spec, 'sharedCounters'), 'name'),
    devices: listOf(spec, 'devices').flatMap((device) =>
      isKeptAway(device) ? [] : readDevice(device, driver)
    )
  }
}

function wholeOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0
}

function isKeptAway(device: unknown): boolean {
  return listOf(device, 'taints').some((taint) => fieldOf(taint, 'effect') !== 'None')
}

function readDevice(raw: unknown, driver: string): SliceDevice {
  return {
    device: {
      driver,
      attributes: byDomain(recordOf(raw, 'attributes'), driver, attributeOf),
      capacity: byDomain(recordOf(raw, 'capacity'), driver, quantityTextOf),
      state: isForOneClaim(raw) ? 'usable' : 'other'
    },
    consumes: countersOf(listOf(raw, 'consumesCounters'), 'counterSet')
  }
}

/** What more there may be to a device: several claims on it, conditions before it is bound, another node. */
const furtherFields = ['allowMultipleAllocations', 'bindingConditions', 'bindsToNode', 'nodeName', 'allNodes']

function isForOneClaim(raw: unknown): boolean {
  return !furtherFields.some((key) => {
    const value = fieldOf(raw, key)
    return Array.isArray(value) ? value.length > 0 : Boolean(value)
  })
}

function byDomain<T>(
  map: JsonRecord | undefined,
  driver: string,
  read: (entry: unknown) => T | undefined
): ByDomain<T> {
  const domains: Record<string, Record<string, T>> = {}
  for (const name of Object.keys(map ?? {}).sort()) {
    const slash = name.indexOf('/')
    const [domain, id] = slash < 0 ? [driver, name] : [name.slice(0, slash), name.slice(slash + 1)]
    const value = individualAttributes.has(id) ? undefined : read(map?.[name])
    if (value !== undefined && !unsafe.has(domain) && !unsafe.has(id))
      domains[domain] = { ...domains[domain], [id]: value }
  }
  return domains
}

/** Names that no driver can use, but any JSON may hold. */
const unsafe: ReadonlySet<string> = new Set(['__proto__'])

function attributeOf(entry: unknown): AttributeValue | undefined {
  const version = stringOf(entry, 'version')
  if (version !== undefined) return { version }
  const [text, whole, flag] = ['string', 'int', 'bool'].map((key) => fieldOf(entry, key))
  if (typeof text === 'string') return text
  if (typeof whole === 'number' && Number.isSafeInteger(whole)) return whole
  return typeof flag === 'boolean' ? flag : undefined
}

function quantityTextOf(entry: unknown): string | undefined {
  const value = fieldOf(entry, 'value')
  return parseQuantity(value) === undefined ? undefined : String(value)
}

/** Amounts by `SET/COUNTER`; what cannot be read is nothing of what there is, and more than there is of what is taken. */
function countersOf(sets: readonly unknown[], nameKey: 'name' | 'counterSet'): Consumption {
  const unreadable = nameKey === 'name' ? 0 : Number.MAX_VALUE
  const amounts: Record<string, number> = {}
  for (const set of sets) {
    const counters = fieldOf(set, 'counters')
    if (!isRecord(counters)) continue
    for (const name of Object.keys(counters).sort()) {
      const quantity = parseQuantity(fieldOf(counters[name], 'value'))
      amounts[`${stringOf(set, nameKey) ?? ''}/${name}`] =
        quantity === undefined ? unreadable : Number(quantity.nano) / 1e9
    }
  }
  return amounts
}
