import { gpuModels } from '../../gpu/catalog.ts'
import type { Device } from './device.ts'
import { classOfResource, type DeviceClass, implicitResource } from './device-class.ts'
import { type Match, type Selector, selectorOf } from './selector.ts'

/** A class that is ready to be asked about devices. */
export interface KnownClass {
  readonly name: string
  readonly hasConfig: boolean
  /** Extended resources that lead to it; its own comes first. */
  readonly resources: readonly string[]
  readonly match: Selector
  /** Whether it takes the device for its profile: the same device in any other profile it would not take. */
  readonly isByProfile: (device: Device) => boolean
}

/** The classes of a cluster, by name. */
export type ClassSet = readonly KnownClass[]

/**
 * Makes classes ready. The names that every class has of itself count only where some class has an extended resource: the
 * API server drops that field where it does not serve devices by such names, and then the scheduler does not either.
 */
export function classSetOf(classes: readonly DeviceClass[]): ClassSet {
  const winners = classOfResource(classes)
  const isServed = winners.size > 0
  return classes
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((own) => {
      const explicit = own.resource !== undefined && winners.get(own.resource) === own ? [own.resource] : []
      const implicit = isServed ? (implicitResource(own) ?? []) : []
      const match = remembering(selectorOf(own.selectors))
      return {
        name: own.name,
        hasConfig: own.hasConfig,
        resources: [...explicit, implicit].flat(),
        match,
        isByProfile: remembering((device) => !otherProfiles(device).some((other) => match(other) !== 'no'))
      }
    })
}

/** Devices are one value where they are equal, and thousands of nodes have the same few. */
function remembering<T extends Match | boolean>(answer: (device: Device) => T): (device: Device) => T {
  const known = new WeakMap<Device, T>()
  return (device) => {
    const told = known.get(device) ?? answer(device)
    known.set(device, told)
    return told
  }
}

const allProfiles: readonly string[] = [
  ...new Set(gpuModels.flatMap(({ profiles }) => profiles.map(({ name }) => name)))
].sort()

/** Devices that differ from this one in nothing but their profile. */
function otherProfiles({ driver, attributes, ...device }: Device): readonly Device[] {
  const own = attributes[driver]
  return allProfiles
    .filter((profile) => profile !== own?.['profile'])
    .map((profile) => ({ ...device, driver, attributes: { ...attributes, [driver]: { ...own, profile } } }))
}
