import * as z from 'zod'
import { bodyOf } from './api-client.ts'
import { PRODUCT_NAMESPACE } from './roles.ts'
import type { Bed } from './start-bed.ts'

/** The part of a webhook configuration that the bed changes. @see https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/mutating-webhook-configuration-v1/ */
const ConfigurationSchema = z.looseObject({
  kind: z.enum(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']),
  metadata: z.looseObject({ name: z.string() }),
  webhooks: z.array(
    z.looseObject({
      clientConfig: z.looseObject({
        service: z.looseObject({ name: z.string(), namespace: z.string(), port: z.number().optional() })
      })
    })
  )
})

/** A webhook configuration as shipped, or as the bed changed it. */
type WebhookConfiguration = z.infer<typeof ConfigurationSchema>

/** Where the webhook listens, and the shipped Service that stands for it. */
type WebhookTarget = {
  /** Port on 127.0.0.1. */
  readonly port: number
  /** Name of the shipped Service; default `rightslice`. */
  readonly service?: string
  /** Default `rightslice-system`. */
  readonly namespace?: string
}

/** A webhook that the API server reaches under the name of its shipped Service. */
type ExposedWebhook = {
  /** TLS name that the API server asks for. */
  readonly serverName: string
  /**
   * The shipped configuration with two changes: the port of the Service and the `caBundle`.
   * @param caPem certificates (PEM) that vouch for the webhook; absent: the webhook puts in its own
   * @throws Error when it is no webhook configuration or names another Service
   */
  readonly adapt: (shipped: unknown, caPem?: string) => WebhookConfiguration
  /** Adapts and creates or replaces a configuration in the cluster. */
  readonly install: (shipped: unknown, caPem?: string) => Promise<void>
}

/**
 * Lets the API server reach a webhook on loopback: a Service of type ExternalName that says `localhost`.
 * The API server dials the port named in the configuration, not the Service's target port.
 */
export async function exposeWebhook(bed: Bed, target: WebhookTarget): Promise<ExposedWebhook> {
  const { port, service = 'rightslice', namespace = PRODUCT_NAMESPACE } = target
  await createService(bed, namespace, service)
  const adapt: ExposedWebhook['adapt'] = (shipped, caPem) => {
    const configuration = ConfigurationSchema.parse(shipped)
    const trust = caPem === undefined ? {} : { caBundle: Buffer.from(caPem).toString('base64') }
    const webhooks = configuration.webhooks.map((webhook) => {
      const old = webhook.clientConfig.service
      if (old.name !== service || old.namespace !== namespace) {
        throw new Error(
          `${configuration.metadata.name} names Service ${old.namespace}/${old.name}, not ${namespace}/${service}`
        )
      }
      return { ...webhook, clientConfig: { ...webhook.clientConfig, ...trust, service: { ...old, port } } }
    })
    return { ...configuration, webhooks }
  }
  return {
    serverName: `${service}.${namespace}.svc`,
    adapt,
    install: async (shipped, caPem) => {
      const input = JSON.stringify(adapt(shipped, caPem))
      const { code, stderr } = await bed.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], {
        input
      })
      if (code !== 0) throw new Error(`install webhook configuration: ${stderr}`)
    }
  }
}

async function createService(bed: Bed, namespace: string, name: string): Promise<void> {
  const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  allowExisting(await bed.request('POST', '/api/v1/namespaces', space), `create namespace ${namespace}`)
  const path = `/api/v1/namespaces/${namespace}/services`
  await bed.request('DELETE', `${path}/${name}`)
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { type: 'ExternalName', externalName: 'localhost' }
  }
  bodyOf(await bed.request('POST', path, service), `create Service ${name}`)
}

function allowExisting(answer: { readonly status: number; readonly body: unknown }, what: string): void {
  if (answer.status !== 409) bodyOf(answer, what)
}
