import { readClaimTemplate } from '../core/cluster/devices/claim-template.ts'
import { readDeviceClass } from '../core/cluster/devices/device-class.ts'
import { readDeviceSlice } from '../core/cluster/devices/device-slice.ts'
import { type NodeView, readNode } from '../core/cluster/node-view.ts'
import { AppError } from '../core/errors.ts'
import { fieldOf, isRecord, listOf, stringOf } from '../core/json.ts'
import { toEffectivePolicy } from '../core/policy/effective-policy.ts'
import { readExemption } from '../core/policy/exemption.ts'
import { readLimitRange } from '../core/quota/limit-range.ts'
import { readResourceQuota } from '../core/quota/resource-quota.ts'
import { showName } from '../core/rules/show.ts'
import { readGpuWorkload } from '../core/usage/read-gpu-workload.ts'
import type { ClusterStores } from './cluster-state.ts'
import { joinNodes } from './devices/join-nodes.ts'
import { readNamespace, readOwnerView } from './read-views.ts'
import { staticStore } from './static-store.ts'

/** Kind and version of a snapshot file. */
export const SNAPSHOT_KIND = 'Snapshot'
export const SNAPSHOT_API_VERSION = 'cli.rightslice.dev/v1alpha1'

/** The Kubernetes objects that decisions read, as the API gives them. */
export interface Snapshot {
  readonly apiVersion: typeof SNAPSHOT_API_VERSION
  readonly kind: typeof SNAPSHOT_KIND
  readonly nodes: readonly unknown[]
  readonly namespaces: readonly unknown[]
  readonly policies: readonly unknown[]
  readonly workloads: readonly unknown[]
  /** ReplicaSets and Jobs, for the look-up of owners. */
  readonly owners: readonly unknown[]
  /** Pods that ask for GPUs; decisions do not read them, candidates do. */
  readonly pods: readonly unknown[]
  readonly exemptions: readonly unknown[]
  /** ResourceQuotas and LimitRanges; those that say nothing of GPUs may be missing. */
  readonly quotas: readonly unknown[]
  readonly limitRanges: readonly unknown[]
  /** What drivers publish; absent where there are no drivers. */
  readonly devices?: DeviceObjects
}

/** Objects of the API group of drivers. */
export interface DeviceObjects {
  readonly resourceSlices: readonly unknown[]
  readonly deviceClasses: readonly unknown[]
  /** Only those that are ours. */
  readonly claimTemplates: readonly unknown[]
}

/**
 * A snapshot from a file; parts that an older file lacks are empty.
 * @throws AppError FILE_INVALID when it is no snapshot, or an object in it cannot be read
 */
export function readSnapshot(raw: unknown): Snapshot {
  storesOf(raw) // refuses what is no snapshot
  const all = (part: keyof Snapshot): readonly unknown[] => listOf(raw, part)
  return {
    apiVersion: SNAPSHOT_API_VERSION,
    kind: SNAPSHOT_KIND,
    nodes: all('nodes'),
    namespaces: all('namespaces'),
    policies: all('policies'),
    workloads: all('workloads'),
    owners: all('owners'),
    pods: all('pods'),
    exemptions: all('exemptions'),
    quotas: all('quotas'),
    limitRanges: all('limitRanges'),
    ...devicesOf(raw)
  }
}

function devicesOf(raw: unknown): Pick<Snapshot, 'devices'> {
  const devices = fieldOf(raw, 'devices')
  if (!isRecord(devices)) return {}
  const all = (part: keyof DeviceObjects): readonly unknown[] => listOf(devices, part)
  return {
    devices: {
      resourceSlices: all('resourceSlices'),
      deviceClasses: all('deviceClasses'),
      claimTemplates: all('claimTemplates')
    }
  }
}

/**
 * Stores with the content of a snapshot.
 * @throws AppError FILE_INVALID when it is no snapshot, or an object in it cannot be read
 */
export function storesOf(raw: unknown): ClusterStores {
  if (fieldOf(raw, 'kind') !== SNAPSHOT_KIND || fieldOf(raw, 'apiVersion') !== SNAPSHOT_API_VERSION) {
    throw new AppError(
      'FILE_INVALID',
      `not a snapshot: expected kind ${SNAPSHOT_KIND} of ${SNAPSHOT_API_VERSION}`
    )
  }
  const owners = readAll(raw, 'owners', (value) => readOwnerView(value, stringOf(value, 'kind')))
  const byName = (view: { readonly name: string }): { namespace: string; name: string } => ({
    namespace: '',
    name: view.name
  })
  const inNamespace = (view: { namespace: string; name: string }): { namespace: string; name: string } => view
  return {
    nodes: staticStore(joinedNodes(raw), byName),
    namespaces: staticStore(readAll(raw, 'namespaces', readNamespace), byName),
    policies: staticStore(listOf(raw, 'policies').map(toEffectivePolicy), (read) =>
      byName(read.kind === 'valid' ? read.policy : read)
    ),
    workloads: staticStore(readAll(raw, 'workloads', readGpuWorkload), inNamespace),
    replicaSets: staticStore(
      owners.filter(({ kind }) => kind === 'ReplicaSet'),
      inNamespace
    ),
    jobs: staticStore(
      owners.filter(({ kind }) => kind === 'Job'),
      inNamespace
    ),
    exemptions: staticStore(readAll(raw, 'exemptions', readExemption), inNamespace),
    quotas: staticStore(
      listOf(raw, 'quotas').flatMap((quota) => readResourceQuota(quota) ?? []),
      inNamespace
    ),
    limitRanges: staticStore(
      listOf(raw, 'limitRanges').flatMap((range) => readLimitRange(range) ?? []),
      inNamespace
    ),
    claimTemplates: staticStore(
      listOf(fieldOf(raw, 'devices'), 'claimTemplates').flatMap((own) => readClaimTemplate(own) ?? []),
      inNamespace
    )
  }
}

function joinedNodes(raw: unknown): readonly NodeView[] {
  const devices = fieldOf(raw, 'devices')
  return joinNodes(readAll(raw, 'nodes', readNode), {
    slices: listOf(devices, 'resourceSlices').flatMap((own) => readDeviceSlice(own) ?? []),
    classes: listOf(devices, 'deviceClasses').flatMap((own) => readDeviceClass(own) ?? [])
  })
}

function readAll<T>(raw: unknown, key: string, read: (value: unknown) => T | undefined): readonly T[] {
  return listOf(raw, key).map((value, index) => {
    const view = read(value)
    if (view === undefined) {
      const name = stringOf(fieldOf(value, 'metadata'), 'name') ?? 'without a name'
      throw new AppError(
        'FILE_INVALID',
        `${key}[${index}] (${showName(name)}) of the snapshot cannot be read`
      )
    }
    return view
  })
}
