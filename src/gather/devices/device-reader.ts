import type { Consumption, Device } from '../../core/cluster/devices/device.ts'
import {
  type DeviceSlice,
  readDeviceSlice,
  type SliceDevice
} from '../../core/cluster/devices/device-slice.ts'
import { SharedValues } from '../shared-values.ts'

/**
 * A reader of ResourceSlices for a store that holds thousands: nodes have the same few devices, and each is in memory once, so that a
 * class is asked about it once. Never throws.
 */
export function deviceSliceReader(): (raw: unknown) => DeviceSlice | undefined {
  const devices = new SharedValues<Device>(JSON.stringify)
  const lists = new SharedValues<readonly SliceDevice[]>(JSON.stringify)
  const counters = new SharedValues<Consumption>(JSON.stringify)
  return (raw) => {
    const slice = readDeviceSlice(raw)
    if (slice === undefined) return undefined
    const shared = slice.devices.map(({ device, ...rest }) => ({ ...rest, device: devices.of(device) }))
    return { ...slice, counters: counters.of(slice.counters), devices: lists.of(shared) }
  }
}
