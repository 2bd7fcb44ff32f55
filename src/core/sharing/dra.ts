import { templateLabel, templateName } from '../cluster/devices/claim-template.ts'
import type { DeviceShare } from '../cluster/devices/node-devices.ts'
import { holdsTogether } from '../cluster/devices/room.ts'
import type { NodeView } from '../cluster/node-view.ts'
import { findCatalogProfile, findModelByProductLabel, type GpuModel } from '../gpu/catalog.ts'
import { parseGpuResourceName } from '../gpu/resource-name.ts'
import { isRewriting } from '../policy/enforcement.ts'
import { refuseProfile } from './allowed-profiles.ts'
import {
  type Ask,
  askForOne,
  type Offer,
  type Refusal,
  type ShareContext,
  type SharingMethod
} from './method.ts'
import { computeOfSlice, productOf } from './node-labels.ts'

/** MIG devices that a driver publishes, asked for by the name that a DeviceClass serves, or by a claim from a template. */
export const dra: SharingMethod = {
  name: 'dra',
  isolates: () =>
    'memory, compute and faults are separated in hardware, by a MIG device that no other claim holds',
  needs:
    'MIG devices in ResourceSlices, with a DeviceClass for just one profile or a ResourceClaimTemplate of ours in the namespace',
  offers: (node) =>
    isByDriverAlone(node) ? (node.devices?.shares ?? []).flatMap((share) => offersOf(node, share)) : [],
  refusal: (offer, context) => refuseProfile(offer, context) ?? refuseWithoutTemplate(offer, context),
  ask: askByNameOrClaim,
  holds: holdsAll,
  ownPaths: [
    '/spec/resourceClaims',
    ...['containers', 'initContainers'].flatMap((list) => [
      `/spec/${list}/*/resources/claims`,
      `/spec/${list}/*/resources/limits/deviceclass.resource.kubernetes.io~1*`,
      `/spec/${list}/*/resources/requests/deviceclass.resource.kubernetes.io~1*`
    ])
  ]
}

/** Where a device plugin hands out GPUs too, both would give away the same ones. */
function isByDriverAlone({ allocatable }: NodeView): boolean {
  return Object.keys(allocatable).every((name) => {
    const isOurs = parseGpuResourceName(name)?.kind !== 'foreign'
    return !isOurs || allocatable[name] === 0
  })
}

/** The claim comes after the name: where both give the same, the name is what quotas and people know. */
function offersOf(node: NodeView, share: DeviceShare): readonly Offer[] {
  const { profile, count, resource, deviceClass } = share
  if (count === 0) return []
  const model = modelOf(node, share)
  const compute = computeOfSlice(share, model)
  const common = {
    method: 'dra',
    share: templateLabel(profile),
    profile,
    usableMiB: share.memoryMiB ?? (model && findCatalogProfile(model, profile)?.usableMiB),
    computeRatio: compute.ratio,
    computeBasis: compute.basis,
    count,
    replicas: 1,
    separation: 'hardware',
    requires: {}
  } as const
  return [
    // A name that the kubelet still lists may be the device plugin's again.
    ...(resource === undefined || Object.hasOwn(node.allocatable, resource) ? [] : [{ ...common, resource }]),
    ...(deviceClass === undefined ? [] : [{ ...common, resource: templateName(profile), deviceClass }])
  ]
}

function modelOf(node: NodeView, { product }: DeviceShare): GpuModel | undefined {
  const label = product ?? productOf(node)?.model
  return label === undefined ? undefined : findModelByProductLabel(label)
}

/** A pod that names a template which is not there never starts. Where nothing is enforced, there are none, and none is needed. */
function refuseWithoutTemplate(offer: Offer, { policy, namespace }: ShareContext): Refusal | undefined {
  const { resource, deviceClass, profile } = offer
  if (deviceClass === undefined || !isRewriting(policy, namespace.labels)) return undefined
  const isThere = namespace.claimTemplates?.some(
    ({ name, asks, labelled, retired }) =>
      name === resource &&
      labelled &&
      !retired &&
      asks?.profile === profile &&
      asks?.deviceClass === deviceClass
  )
  if (isThere === true) return undefined
  return {
    reason: 'ClaimTemplateMissing',
    sentence: `namespace ${namespace.name} has no ResourceClaimTemplate ${resource} of ours for class ${deviceClass}`
  }
}

function askByNameOrClaim(offer: Pick<Offer, 'resource' | 'deviceClass'>): Ask {
  return offer.deviceClass === undefined ? askForOne(offer) : { resources: {}, claimTemplate: offer.resource }
}

function holdsAll({ devices }: NodeView, offers: readonly Pick<Offer, 'profile'>[]): boolean {
  if (devices === undefined) return false
  const shares = offers.map(({ profile }) => devices.shares.findIndex((share) => share.profile === profile))
  return !shares.includes(-1) && holdsTogether(devices.room, shares)
}
