import { DateTime } from 'luxon'
import { fieldAt, fieldOf, listOf, stringOf } from '../../json.ts'

/** The part of a DeviceClass that is read. @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/device-class-v1/ */
export interface DeviceClass {
  readonly name: string
  /** When it was made, ms since the epoch; 0 where that is not known. */
  readonly createdMs: number
  /** Extended resource by which pods may ask for it. */
  readonly resource: string | undefined
  /** CEL, all of which a device has to meet. */
  readonly selectors: readonly string[]
  /** Whether it sets up its devices in some way, of which nothing is known here. */
  readonly hasConfig: boolean
}

/** Reads a DeviceClass; undefined when it has no name. Never throws. */
export function readDeviceClass(raw: unknown): DeviceClass | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const name = stringOf(metadata, 'name')
  if (name === undefined) return undefined
  const spec = fieldOf(raw, 'spec')
  const created = DateTime.fromISO(stringOf(metadata, 'creationTimestamp') ?? '', { setZone: true })
  return {
    name,
    createdMs: created.isValid ? created.toMillis() : 0,
    resource: stringOf(spec, 'extendedResourceName'),
    selectors: listOf(spec, 'selectors').map((entry) => {
      const expression = fieldAt(entry, 'cel', 'expression')
      return typeof expression === 'string' ? expression : ''
    }),
    hasConfig: listOf(spec, 'config').length > 0
  }
}

/** Domain of the names by which every class can be asked for. @source kubernetes/enhancements KEP-5004 */
const IMPLICIT_DOMAIN = 'deviceclass.resource.kubernetes.io'

/** Longest name of a resource behind its domain. */
const LONGEST_NAME = 63

/** The name by which a class can be asked for whatever it says itself; undefined where its own name is too long for one. */
export function implicitResource({ name }: Pick<DeviceClass, 'name'>): string | undefined {
  return name.length > LONGEST_NAME ? undefined : `${IMPLICIT_DOMAIN}/${name}`
}

/** Which class a name leads to: of several the newest, then the first by name. */
export function classOfResource(classes: readonly DeviceClass[]): ReadonlyMap<string, DeviceClass> {
  const ranked = classes.toSorted((a, b) => b.createdMs - a.createdMs || (a.name < b.name ? -1 : 1))
  const winners = new Map<string, DeviceClass>()
  for (const own of ranked) {
    if (own.resource !== undefined && !winners.has(own.resource)) winners.set(own.resource, own)
  }
  return winners
}
