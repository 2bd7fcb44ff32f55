import { sliceLabel } from '../core/api/names.ts'
import { type ClaimTemplate, readClaimTemplate } from '../core/cluster/devices/claim-template.ts'
import { type DeviceClass, readDeviceClass } from '../core/cluster/devices/device-class.ts'
import type { DeviceSlice } from '../core/cluster/devices/device-slice.ts'
import { deviceSliceReader } from '../gather/devices/device-reader.ts'
import type { Reflector } from '../kube/reflector.ts'
import { LONG_PAGE_SIZE, type MirrorMeans, mirror } from './cluster-reader.ts'

/** Mirrors of what drivers publish, of the classes that pods may ask for, and of our templates. */
export interface DeviceMirrors {
  readonly deviceSlices: Reflector<DeviceSlice>
  readonly deviceClasses: Reflector<DeviceClass>
  readonly claimTemplates: Reflector<ClaimTemplate>
}

/**
 * A cluster before Kubernetes 1.34 has none of these, and one without drivers nothing in them.
 * @param templates `labelled`: only those that pods may be given; `all`: also those that only have a name as ours have
 */
export function deviceMirrors(means: MirrorMeans, templates: 'labelled' | 'all'): DeviceMirrors {
  return {
    deviceSlices: mirror(means, {
      resource: { path: '/apis/resource.k8s.io/v1/resourceslices', kind: 'ResourceSlice' },
      optional: true,
      pageSize: LONG_PAGE_SIZE,
      project: deviceSliceReader()
    }),
    deviceClasses: mirror(means, {
      resource: { path: '/apis/resource.k8s.io/v1/deviceclasses', kind: 'DeviceClass' },
      optional: true,
      project: readDeviceClass
    }),
    claimTemplates: mirror(means, {
      resource: {
        path: '/apis/resource.k8s.io/v1/resourceclaimtemplates',
        kind: 'ResourceClaimTemplate',
        ...(templates === 'labelled' ? { labelSelector: sliceLabel } : {})
      },
      optional: true,
      project: readClaimTemplate
    })
  }
}
