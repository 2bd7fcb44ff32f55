import type { CertificateMetrics } from '../ports/certificate-metrics.ts'
import type { Log } from '../ports/log.ts'
import type { ConfiguredTrust, TrustStore } from '../ports/trust-store.ts'
import { authoritiesIn } from './authority.ts'

/** What publishing needs. */
export interface PublishParts {
  readonly trust: TrustStore
  readonly log: Log
  readonly metrics: CertificateMetrics
}

/** How a webhook configuration is after it was looked after. */
export interface Published {
  /** Whether the configuration exists. */
  readonly isThere: boolean
  /** Whether all its webhooks believe exactly the bundle. */
  readonly inSync: boolean
}

/** Has every configuration believe exactly this bundle; one that fails does not hold up the others. An empty one is never written. */
export async function publishBundle(
  parts: PublishParts,
  { bundlePem, configured }: { readonly bundlePem: string; readonly configured: readonly ConfiguredTrust[] },
  signal: AbortSignal
): Promise<readonly Published[]> {
  const published: Published[] = []
  for (const one of configured) {
    const inSync = await publishIn(parts, one, bundlePem, signal)
    parts.metrics.bundleInSync(one.configuration.name, inSync)
    published.push({ isThere: one.webhooks !== undefined, inSync })
  }
  return published
}

async function publishIn(
  { trust, log, metrics }: PublishParts,
  { configuration, webhooks }: ConfiguredTrust,
  bundlePem: string,
  signal: AbortSignal
): Promise<boolean> {
  const { name } = configuration
  if (webhooks === undefined || bundlePem === '') return false
  if (webhooks.every((webhook) => webhook.bundlePem === bundlePem)) return true
  try {
    await trust.write(configuration, { webhooks: webhooks.map((webhook) => webhook.name), bundlePem }, signal)
  } catch (err) {
    if (signal.aborted) return false
    metrics.certificateFault()
    log.warn({ configuration: name, err }, 'caBundle not written')
    return false
  }
  const before = webhooks.map((webhook) => authoritiesIn(webhook.bundlePem).length)
  log.info({ configuration: name, before, now: authoritiesIn(bundlePem).length }, 'caBundle written')
  return true
}
