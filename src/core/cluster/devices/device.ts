/** What a driver says of a device in one attribute. */
export type AttributeValue = string | number | boolean | { readonly version: string }

/** What can be read of a device by domain and name; names without a domain are in that of the driver. */
export type ByDomain<T> = Readonly<Record<string, Readonly<Record<string, T>>>>

/** What a device takes of the counters that devices of one card share, as amounts by `SET/COUNTER`. */
export type Consumption = Readonly<Record<string, number>>

/**
 * A device of a ResourceSlice, without what is different on each (`individualAttributes`), so that equal ones are one value.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-slice-v1/
 */
export interface Device {
  readonly driver: string
  readonly attributes: ByDomain<AttributeValue>
  /** Quantities as they are written. */
  readonly capacity: ByDomain<string>
  /**
   * Whether a claim may get it, as far as it is understood: `usable` to one claim alone; `other` where it may be given to several, or
   * where more is to be done before it may be used.
   */
  readonly state: 'usable' | 'other'
}

/** Attributes that tell one device from the next of its kind. They are not kept, and nothing may be decided by them. */
export const individualAttributes: ReadonlySet<string> = new Set([
  'uuid',
  'parentUUID',
  'minor',
  'parentMinor',
  'index',
  'parentIndex',
  'pciBusID',
  'pcieBusID',
  'pcieRoot'
])
