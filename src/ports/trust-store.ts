import type { WebhookConfiguration } from '../core/api/names.ts'

/** Whom the API server believes when it calls the webhooks of one configuration. */
export interface ConfiguredTrust {
  readonly configuration: WebhookConfiguration
  /** Its webhooks with their `caBundle` (PEM, '' where there is none); undefined when the configuration does not exist. */
  readonly webhooks: readonly { readonly name: string; readonly bundlePem: string }[] | undefined
}

/**
 * The `caBundle` fields of our webhook configurations.
 * Every call throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE or KUBE_REFUSED.
 */
export interface TrustStore {
  /** As they are now, one for each configuration, in a fixed order; never from a cache. */
  read(signal: AbortSignal): Promise<readonly ConfiguredTrust[]>
  /** Puts a bundle into webhooks that exist, and touches nothing else. */
  write(
    configuration: WebhookConfiguration,
    trust: { readonly webhooks: readonly string[]; readonly bundlePem: string },
    signal: AbortSignal
  ): Promise<void>
}
