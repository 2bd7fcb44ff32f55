import { pathRule } from './reaching-volumes.ts'

/** Volumes of the host through which devices are reached. */
export const hostDevicePath = pathRule('HostDevicePath', 'devices', {
  what: 'a path to devices, driver or container runtime of the host',
  wayOut:
    'request nvidia.com/gpu in limits, and mount only the folder that is needed; shared memory is emptyDir with medium Memory'
})
