import { quantityToCount, quantityToMiB } from '../../api/quantity.ts'
import { parseMigProfile, printMigProfile } from '../../gpu/profile.ts'
import { migResourceName } from '../../gpu/resource-name.ts'
import { templateName } from './claim-template.ts'
import type { ClassSet, KnownClass } from './class-set.ts'
import type { Consumption, Device } from './device.ts'
import type { DeviceSlice, SliceDevice } from './device-slice.ts'
import { GPU_DRIVER } from './gpu-driver.ts'
import { mostOf, type Room } from './room.ts'

/** MIG devices of one profile that a node has, and how pods may ask for them. */
export interface DeviceShare {
  /** Canonical MIG profile. */
  readonly profile: string
  /** Product as node labels write it; undefined where devices differ in it, or say none. */
  readonly product: string | undefined
  /** Least of all its devices, whole MiB; undefined where one of them does not say it. */
  readonly memoryMiB: number | undefined
  /** Least of all its devices; undefined where one of them does not say it. */
  readonly multiprocessors: number | undefined
  /** How many can be given at one time. */
  readonly count: number
  /** Extended resource by which a pod gets one of these and nothing else. */
  readonly resource: string | undefined
  /** Class by which a claim gets one of these; undefined where no class takes all of them. */
  readonly deviceClass: string | undefined
}

/** What drivers publish for a node, as requests can name it. */
export interface NodeDevices {
  /** By profile. */
  readonly shares: readonly DeviceShare[]
  /** Names by which the scheduler may give some device of the node, whether or not it is a share: see `servedKey`. */
  readonly served: readonly string[]
  /** Units of it are numbered by `shares`. */
  readonly room: Room
}

/** Under which name a way to ask is in `served`: the extended resource, or template and class of a claim. */
export function servedKey(resource: string, deviceClass: string | undefined): string {
  return deviceClass === undefined ? resource : `${resource} ${deviceClass}`
}

interface Unit extends SliceDevice {
  /** Whether it is all there is to know about it, and it is for one claim alone. */
  readonly usable: boolean
}

/** What the slices of one node come to; undefined when they hold no device. */
export function nodeDevicesOf(slices: readonly DeviceSlice[], classes: ClassSet): NodeDevices | undefined {
  const pools = Map.groupBy(slices, ({ pool }) => pool)
  const read = [...pools.keys()].sort().map((pool, index) => readPool(pools.get(pool) ?? [], index))
  const units = read.flatMap((pool) => pool.units)
  if (units.length === 0) return undefined
  const byProfile = Map.groupBy(units.filter(isShareable), ({ device }) => profileOf(device) ?? '')
  const profiles = [...byProfile.keys()].sort()
  const room = {
    counters: Object.assign({}, ...read.map(({ counters }) => counters)),
    units: profiles.flatMap((profile, share) =>
      (byProfile.get(profile) ?? []).map(({ consumes }) => ({ share, consumes }))
    )
  }
  const shares = profiles.map((profile, share) => ({
    ...shareOf(profile, byProfile.get(profile) ?? []),
    ...waysTo(profile, units, classes),
    count: mostOf(room, share)
  }))
  return { shares, served: servedBy(units, classes), room }
}

/** Slices of an older generation do not count. What a pool lacks may be what its devices depend on. */
function readPool(
  slices: readonly DeviceSlice[],
  index: number
): { units: readonly Unit[]; counters: Consumption } {
  const newest = Math.max(...slices.map(({ generation }) => generation))
  const current = slices
    .filter(({ generation }) => generation === newest)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const whole = current.every(({ sliceCount }) => sliceCount === current.length)
  const here = (amounts: Consumption): Consumption =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [`${index} ${name}`, amount]))
  return {
    counters: Object.assign({}, ...current.map(({ counters }) => here(counters))),
    units: current.flatMap(({ devices }) =>
      devices.map(({ device, consumes }) => ({
        device,
        consumes: here(consumes),
        usable: whole && device.state === 'usable'
      }))
    )
  }
}

function isShareable({ device, usable }: Unit): boolean {
  return usable && profileOf(device) !== undefined
}

/** The profile of a MIG device; undefined for another device, and for a name that is no profile. */
function profileOf({ driver, attributes }: Device): string | undefined {
  const own = attributes[driver]
  const name = own?.['profile']
  if (driver !== GPU_DRIVER || own?.['type'] !== 'mig' || typeof name !== 'string') return undefined
  const profile = parseMigProfile(name)
  if (profile === undefined || profile.instanceSlices !== undefined) return undefined
  return printMigProfile(profile)
}

function shareOf(
  profile: string,
  units: readonly Unit[]
): Pick<DeviceShare, 'profile' | 'product' | 'memoryMiB' | 'multiprocessors'> {
  const capacities = units.map(({ device }) => device.capacity[device.driver] ?? {})
  const products = new Set(units.map(({ device }) => device.attributes[device.driver]?.['productName']))
  const [product] = products
  const memory = least(capacities.map(({ memory: text }) => quantityToMiB(text)))
  return {
    profile,
    product: products.size === 1 && typeof product === 'string' ? product.replaceAll(' ', '-') : undefined,
    memoryMiB: memory === undefined ? undefined : Math.floor(memory),
    multiprocessors: least(capacities.map(({ multiprocessors }) => quantityToCount(multiprocessors)))
  }
}

function least(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((a, b) => (a === undefined || b === undefined ? undefined : Math.min(a, b)))
}

/**
 * How to ask for the devices of a profile. A class that sets up its devices, that fails on one of the node, or that takes some of
 * which not all is known, is no way.
 */
function waysTo(
  profile: string,
  units: readonly Unit[],
  classes: ClassSet
): Pick<DeviceShare, 'resource' | 'deviceClass'> {
  const taking = classes.filter((own) => !own.hasConfig && takesAllOf(own, profile, units))
  const names = taking
    .filter((own) => takesNothingElse(own, profile, units))
    .flatMap(({ resources }) => resources)
  const plain = names.find((name) => name === migResourceName(profile))
  const implicit = names.find((name) => name.startsWith('deviceclass.'))
  return { resource: plain ?? implicit, deviceClass: taking[0]?.name }
}

function takesAllOf({ match }: KnownClass, profile: string, units: readonly Unit[]): boolean {
  return units.every((unit) => {
    const matched = match(unit.device)
    if (profileOf(unit.device) !== profile) return matched !== 'unknown'
    return matched === (unit.usable ? 'yes' : 'no')
  })
}

function takesNothingElse(own: KnownClass, profile: string, units: readonly Unit[]): boolean {
  return units.every(({ device, usable }) => {
    if (own.match(device) === 'no') return true
    return usable && profileOf(device) === profile && own.isByProfile(device)
  })
}

function servedBy(units: readonly Unit[], classes: ClassSet): readonly string[] {
  const names = new Set<string>()
  for (const { name, resources, match } of classes) {
    const taken = units.filter(({ device }) => match(device) !== 'no')
    if (taken.length === 0) continue
    for (const resource of resources) names.add(resource)
    for (const { device } of taken) {
      const profile = profileOf(device)
      if (profile !== undefined) names.add(servedKey(templateName(profile), name))
    }
  }
  return [...names].sort()
}
