/** How a ResourceQuota spells the claims that pods make. @source Kubernetes: object count quota, dynamic resource allocation */
export const CLAIM_COUNT_KEY = 'count/resourceclaims.resource.k8s.io'

/** What a quota on the devices of one DeviceClass ends with. */
const DEVICES_OF_CLASS = '.deviceclass.resource.k8s.io/devices'

const REQUESTS = 'requests.'

/** How a ResourceQuota spells an extended resource: `requests.nvidia.com/gpu`. */
export function requestsKey(resource: string): string {
  return `${REQUESTS}${resource}`
}

/** Whether a key limits devices by DeviceClass, whichever class that is. */
export function isDeviceClassKey(key: string): boolean {
  return key.endsWith(DEVICES_OF_CLASS)
}

/** Whether what we change of pods is counted by this key: extended resources, and claims. */
export function isCountedKey(key: string): boolean {
  if (key === CLAIM_COUNT_KEY || isDeviceClassKey(key)) return true
  return key.startsWith(REQUESTS) && key.includes('/')
}
