import {
  API_GROUP,
  authoritySecret,
  namespaceLabels,
  type WebhookConfiguration,
  webhookConfigurations
} from '../core/api/names.ts'
import { type DeviceClass, readDeviceClass } from '../core/cluster/devices/device-class.ts'
import { type DeviceSlice, readDeviceSlice } from '../core/cluster/devices/device-slice.ts'
import { type NodeView, readNode } from '../core/cluster/node-view.ts'
import { AppError } from '../core/errors.ts'
import { fieldAt, type JsonRecord } from '../core/json.ts'
import { type PolicyRead, toEffectivePolicy } from '../core/policy/effective-policy.ts'
import { type LimitRange, readLimitRange } from '../core/quota/limit-range.ts'
import { type ResourceQuota, readResourceQuota } from '../core/quota/resource-quota.ts'
import { indexNodes } from '../core/sharing/node-index.ts'
import type { NamespaceView } from '../gather/cluster-state.ts'
import { joinNodes } from '../gather/devices/join-nodes.ts'
import { readNamespace } from '../gather/read-views.ts'
import type { ClusterLister, ListedKind } from '../ports/cluster-lister.ts'
import type { InstallationReader, Sight } from '../ports/installation-reader.ts'
import type { Bounds, ConfigurationSight, Installation } from './installation.ts'

/** What reading an installation needs. */
export interface ReadingParts {
  readonly reader: InstallationReader
  readonly lister: ClusterLister
  /** Webhook configurations of the manifests. */
  readonly shipped: readonly JsonRecord[]
  /** Own time, ms since the epoch, where the API server tells none. */
  readonly nowMs: number
  readonly signal: AbortSignal
}

const customResources = [`gpupolicies.${API_GROUP}`, `gpuworkloads.${API_GROUP}`]
const deployments = ['rightslice-webhook', 'rightslice-controller']

/** Reads everything that checks judge. @throws AppError KUBE_UNREACHABLE, KUBE_REFUSED */
export async function readInstallation(parts: ReadingParts): Promise<Installation> {
  const { reader, shipped, nowMs, signal } = parts
  const { version, serverMs } = await reader.version(signal)
  return {
    nowMs: serverMs ?? nowMs,
    serverVersion: version,
    configurations: await Promise.all(
      webhookConfigurations.map(async (configuration) => ({
        configuration,
        shipped: shippedAs(configuration, shipped),
        live: await reader.configuration(configuration, signal)
      }))
    ),
    customResources: await sights(customResources, (name) => reader.customResource(name, signal)),
    deployments: await sights(deployments, (name) => reader.deployment(name, signal)),
    secret: await reader.secret(authoritySecret, signal),
    probe: await reader.probe({ [namespaceLabels.rightsize]: 'warn' }, signal),
    policies: await listed<PolicyRead>(parts, 'gpupolicies', toEffectivePolicy),
    namespaces: await listed<NamespaceView>(parts, 'namespaces', readNamespace),
    bounds: await readBounds(parts)
  }
}

async function readBounds(parts: ReadingParts): Promise<Bounds> {
  try {
    return {
      kind: 'seen',
      nodes: indexNodes(
        joinNodes(await listed<NodeView>(parts, 'nodes', readNode), {
          slices: await listed<DeviceSlice>(parts, 'resourceslices', readDeviceSlice),
          classes: await listed<DeviceClass>(parts, 'deviceclasses', readDeviceClass)
        })
      ),
      quotas: await listed<ResourceQuota>(parts, 'resourcequotas', readResourceQuota),
      limitRanges: await listed<LimitRange>(parts, 'limitranges', readLimitRange)
    }
  } catch (fault) {
    if (fault instanceof AppError && fault.code === 'KUBE_REFUSED') return { kind: 'forbidden' }
    throw fault
  }
}

function shippedAs(
  { name }: WebhookConfiguration,
  shipped: readonly JsonRecord[]
): ConfigurationSight['shipped'] {
  return shipped.find((object) => fieldAt(object, 'metadata', 'name') === name) ?? {}
}

async function sights(
  names: readonly string[],
  see: (name: string) => Promise<Sight>
): Promise<ReadonlyMap<string, Sight>> {
  return new Map(await Promise.all(names.map(async (name) => [name, await see(name)] as const)))
}

async function listed<T>(
  { lister }: ReadingParts,
  kind: ListedKind,
  read: (raw: unknown) => T | undefined
): Promise<readonly T[]> {
  const kept: T[] = []
  await lister.list(kind, (raw) => {
    const value = read(raw)
    if (value !== undefined) kept.push(value)
  })
  return kept
}
