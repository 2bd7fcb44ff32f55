import { fieldAt, fieldOf, listOf, stringOf } from '../json.ts'
import { type HostVolume, pathsIn, type SecurityView } from './security-view.ts'

/** A claim that a pod uses, by the name of the pod's volume. */
export interface ClaimUse {
  readonly volume: string
  readonly claim: string
}

/** A PersistentVolume through which a node may be reached, and the claim that it is bound to. */
export interface HostPersistentVolume extends Pick<HostVolume, 'source' | 'paths'> {
  readonly claim: { readonly namespace: string; readonly name: string }
}

/** Claims that a pod's volumes name, and those that Kubernetes makes for its generic ephemeral volumes. */
export function claimsOf(raw: unknown): readonly ClaimUse[] {
  const pod = stringOf(fieldOf(raw, 'metadata'), 'name') ?? ''
  return listOf(fieldOf(raw, 'spec'), 'volumes').flatMap((entry) => {
    const volume = stringOf(entry, 'name') ?? ''
    const named = stringOf(fieldOf(entry, 'persistentVolumeClaim'), 'claimName')
    if (named !== undefined) return { volume, claim: named }
    return fieldOf(entry, 'ephemeral') === undefined ? [] : { volume, claim: `${pod}-${volume}` }
  })
}

/**
 * Drivers whose volumes lie elsewhere, so that the paths in their settings are none of the node.
 * @source documentation of the drivers
 */
const remoteDriver =
  /(?:^|\.)(?:(?:cephfs|rbd|nfs)\.csi\.ceph\.com|(?:nfs|smb)\.csi\.k8s\.io|(?:file|blob|disk)\.csi\.azure\.com|azurelustre\.csi\.azure\.com|(?:ebs|efs|fsx|s3)\.csi\.aws\.com|(?:filestore|lustre|parallelstore|pd)\.csi\.storage\.gke\.io|gcsfuse\.csi\.storage\.gke\.io|csi\.juicefs\.com|csi\.weka\.io|beegfs\.csi\.netapp\.com|csi\.trident\.netapp\.io|spectrumscale\.csi\.ibm\.com|cinder\.csi\.openstack\.org|manila\.csi\.openstack\.org|csi\.vsphere\.vmware\.com)$/

/**
 * Reads a PersistentVolume; undefined for one that is not bound, or that names no path of a node. What a claim says of itself
 * is not asked: it may name a volume that was never given to it.
 */
export function readHostPersistentVolume(raw: unknown): HostPersistentVolume | undefined {
  const spec = fieldOf(raw, 'spec')
  const namespace = stringOf(fieldOf(spec, 'claimRef'), 'namespace')
  const name = stringOf(fieldOf(spec, 'claimRef'), 'name')
  if (namespace === undefined || name === undefined || fieldAt(raw, 'status', 'phase') !== 'Bound')
    return undefined
  const reach = pathsOf(spec)
  return reach === undefined || reach.paths.length === 0
    ? undefined
    : { claim: { namespace, name }, ...reach }
}

function pathsOf(spec: unknown): Pick<HostVolume, 'source' | 'paths'> | undefined {
  for (const source of ['hostPath', 'local']) {
    const path = stringOf(fieldOf(spec, source), 'path')
    if (path !== undefined) return { source, paths: [path] }
  }
  const flex = stringOf(fieldOf(spec, 'flexVolume'), 'driver')
  if (flex !== undefined) return { source: flex, paths: pathsIn(fieldOf(spec, 'flexVolume'), 'options') }
  const csi = fieldOf(spec, 'csi')
  const driver = stringOf(csi, 'driver')
  if (driver === undefined || remoteDriver.test(driver)) return undefined
  const handle = stringOf(csi, 'volumeHandle') ?? ''
  const own = handle.startsWith('/') ? [handle] : []
  return { source: driver, paths: [...own, ...pathsIn(csi, 'volumeAttributes')] }
}

/**
 * The view with what the claims lead to among its volumes, as if the pod named it.
 * @param volumeOf the volume that a claim of the pod's namespace is bound to; undefined where it reaches no node
 */
export function withClaimedVolumes(
  security: SecurityView,
  claims: readonly ClaimUse[],
  volumeOf: (claim: string) => HostPersistentVolume | undefined
): SecurityView {
  const reached = claims.flatMap(({ volume, claim }): readonly HostVolume[] => {
    const found = volumeOf(claim)
    return found === undefined ? [] : [{ name: volume, source: found.source, paths: found.paths, claim }]
  })
  return reached.length === 0 ? security : { ...security, hostVolumes: [...security.hostVolumes, ...reached] }
}
