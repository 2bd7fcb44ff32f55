import { type WebhookConfiguration, webhookConfigurations } from '../core/api/names.ts'
import { fieldOf, listOf, stringOf } from '../core/json.ts'
import type { ConfiguredTrust, TrustStore } from '../ports/trust-store.ts'
import type { KubeConnection } from './connection.ts'
import { KubeError } from './kube-error.ts'
import type { WatchedResource } from './watched-resource.ts'

const GROUP = '/apis/admissionregistration.k8s.io/v1'

/** Name under which `caBundle` is ours, so that others who apply the configurations leave it alone. */
const FIELD_MANAGER = 'rightslice-webhook'

/** Limit for one exchange, ms. */
const CALL_MS = 10_000

/**
 * The `caBundle` fields of our webhook configurations. Server-side apply of the entries by name changes that one field.
 * @source https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/mutating-webhook-configuration-v1/
 */
export function webhookTrust(connection: Pick<KubeConnection, 'request'>): TrustStore {
  return {
    read: (signal) =>
      Promise.all(webhookConfigurations.map((one) => readConfiguration(connection, one, signal))),
    write: async (configuration, { webhooks, bundlePem }, signal) => {
      const caBundle = Buffer.from(bundlePem).toString('base64')
      const answer = await connection.request({
        method: 'PATCH',
        path: configurationPath(configuration),
        query: { fieldManager: FIELD_MANAGER, force: true },
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: configuration.kind,
          metadata: { name: configuration.name },
          webhooks: webhooks.map((name) => ({ name, clientConfig: { caBundle } }))
        },
        signal,
        timeoutMs: CALL_MS
      })
      await answer.json() // read to the end, so that the connection can serve again
    }
  }
}

/** One of our configurations as a collection of one object, to watch it with rights on that object alone. */
export function configurationResource({ kind, plural, name }: WebhookConfiguration): WatchedResource {
  return { path: `${GROUP}/${plural}`, kind, objectName: name }
}

/** The bundles of a configuration by webhook. */
export function bundlesIn(raw: unknown): NonNullable<ConfiguredTrust['webhooks']> {
  return listOf(raw, 'webhooks').map((webhook) => ({
    name: stringOf(webhook, 'name') ?? '',
    bundlePem: Buffer.from(stringOf(fieldOf(webhook, 'clientConfig'), 'caBundle') ?? '', 'base64').toString()
  }))
}

async function readConfiguration(
  connection: Pick<KubeConnection, 'request'>,
  configuration: WebhookConfiguration,
  signal: AbortSignal
): Promise<ConfiguredTrust> {
  try {
    const request = {
      method: 'GET',
      path: configurationPath(configuration),
      signal,
      timeoutMs: CALL_MS
    } as const
    const answer = await connection.request(request)
    return { configuration, webhooks: bundlesIn(await answer.json()) }
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 404)) throw error
    return { configuration, webhooks: undefined }
  }
}

/** Path of one of our configurations. */
export function configurationPath({ plural, name }: WebhookConfiguration): string {
  return `${GROUP}/${plural}/${name}`
}
