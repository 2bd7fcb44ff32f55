import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import type { Installation } from '../../src/check/installation.ts'
import { readInstallation } from '../../src/check/read-installation.ts'
import { fieldAt, isRecord, type JsonRecord, listOf, stringOf } from '../../src/core/json.ts'
import type { ClusterLister, ListedKind } from '../../src/ports/cluster-lister.ts'
import type { InstallationReader, Probe, Sight } from '../../src/ports/installation-reader.ts'
import { aRawPolicy } from './policy.ts'

const base = new URL('../../manifests/base/', import.meta.url)

/** The webhook configurations of the manifests. */
export const shippedConfigurations: readonly JsonRecord[] = ['webhook.yaml', 'webhook-validating.yaml']
  .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, base), 'utf8')))
  .map((document): unknown => document.toJS())
  .filter(isRecord)

/** What an installation is made of, by name; each may be left out or spoiled. */
export interface Parts {
  readonly serverMs: number | undefined
  readonly version: string
  /** Turns what is shipped into what is there. */
  readonly configuration: (shipped: JsonRecord) => Sight
  readonly customResource: Sight
  readonly deployment: Sight
  readonly secret: Sight
  readonly probe: Probe
  readonly policies: readonly unknown[]
  readonly namespaces: readonly unknown[]
  /** Nodes, quotas and LimitRanges; default none. */
  readonly bounds: Partial<Record<ListedKind, readonly unknown[]>>
}

/** A configuration as the API server gives it back: with defaults, and with a bundle in each webhook. */
export function installed(shipped: JsonRecord, bundlePem: string): JsonRecord {
  const webhooks = listOf(shipped, 'webhooks').map((webhook) => ({
    objectSelector: {},
    ...Object(webhook),
    clientConfig: {
      ...Object(fieldAt(webhook, 'clientConfig')),
      caBundle: Buffer.from(bundlePem).toString('base64')
    }
  }))
  return { ...shipped, webhooks }
}

/** An installation in good order, read through the real reading, with changes. */
export function anInstallation(
  bundlePem: string,
  { nowMs, ...changes }: Partial<Parts> & { readonly nowMs: number }
): Promise<Installation> {
  const parts: Parts = {
    serverMs: nowMs,
    version: 'v1.36.3',
    configuration: (shipped) => ({ kind: 'seen', object: installed(shipped, bundlePem) }),
    customResource: seen({ status: { conditions: [{ type: 'Established', status: 'True' }] } }),
    deployment: seen({ spec: { replicas: 3 }, status: { readyReplicas: 3 } }),
    secret: seen({ data: { 'ca.crt': Buffer.from(bundlePem).toString('base64') } }),
    probe: { kind: 'passed', warnings: ['rightslice: namespace "x" is now warn: …'] },
    policies: [aRawPolicy()],
    bounds: {},
    namespaces: [{ metadata: { name: 'search', labels: { 'rightslice.dev/rightsize': 'enforce' } } }],
    ...changes
  }
  return readInstallation({
    reader: readerOf(parts),
    lister: listerOf(parts),
    shipped: shippedConfigurations,
    nowMs,
    signal: new AbortController().signal
  })
}

/** An object that may be read. */
export function seen(object: unknown): Sight {
  return { kind: 'seen', object }
}

function readerOf(parts: Parts): InstallationReader {
  const { version, serverMs } = parts
  return {
    version: () => Promise.resolve({ version, serverMs }),
    configuration: ({ name }) => {
      const shipped = shippedConfigurations.find(
        (object) => stringOf(Object(object)['metadata'], 'name') === name
      )
      return Promise.resolve(parts.configuration(shipped ?? {}))
    },
    customResource: () => Promise.resolve(parts.customResource),
    deployment: () => Promise.resolve(parts.deployment),
    secret: () => Promise.resolve(parts.secret),
    probe: () => Promise.resolve(parts.probe)
  }
}

function listerOf({ policies, namespaces, bounds }: Parts): ClusterLister {
  const objectsOf = (kind: ListedKind): readonly unknown[] => {
    if (kind === 'gpupolicies') return policies
    return kind === 'namespaces' ? namespaces : (bounds[kind] ?? [])
  }
  return {
    list: async (kind, onObject) => {
      for (const object of objectsOf(kind)) onObject(object)
    }
  }
}
