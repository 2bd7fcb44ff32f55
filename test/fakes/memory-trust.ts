import { setImmediate as nextTurn } from 'node:timers/promises'
import { type WebhookConfiguration, webhookConfigurations } from '../../src/core/api/names.ts'
import { AppError } from '../../src/core/errors.ts'
import type { ConfiguredTrust, TrustStore } from '../../src/ports/trust-store.ts'

/** Webhook configurations in memory, each with webhooks of its own. */
export class MemoryTrust implements TrustStore {
  /** Configurations, by name, whose bundle cannot be written. */
  readonly refused = new Set<string>()
  /** How often a bundle was written. */
  writes = 0
  /** Called before each write. */
  onWrite: ((configuration: string, bundlePem: string) => void) | undefined
  /** Called while the bundles are read. */
  onRead: (() => void) | undefined
  readonly #bundles = new Map<string, Map<string, string>>()

  /** @param webhooks names of the webhooks by configuration; what is not named does not exist */
  constructor(webhooks: Readonly<Record<string, readonly string[]>>) {
    for (const [name, names] of Object.entries(webhooks)) this.create(name, names)
  }

  async read(signal: AbortSignal): Promise<readonly ConfiguredTrust[]> {
    await nextTurn()
    signal.throwIfAborted()
    this.onRead?.()
    return webhookConfigurations.map((configuration) => {
      const found = this.#bundles.get(configuration.name)
      const webhooks = found && [...found].map(([name, bundlePem]) => ({ name, bundlePem }))
      return { configuration, webhooks }
    })
  }

  async write(
    { name }: WebhookConfiguration,
    { webhooks, bundlePem }: { readonly webhooks: readonly string[]; readonly bundlePem: string },
    signal: AbortSignal
  ): Promise<void> {
    await nextTurn()
    signal.throwIfAborted()
    const bundles = this.#bundles.get(name)
    if (this.refused.has(name) || !webhooks.every((webhook) => bundles?.has(webhook)))
      throw new AppError('KUBE_REFUSED', `${name}: made to fail`)
    this.onWrite?.(name, bundlePem)
    this.writes += 1
    for (const webhook of webhooks) bundles?.set(webhook, bundlePem)
  }

  /** Somebody creates a configuration, without bundles. */
  create(name: string, webhooks: readonly string[]): void {
    this.#bundles.set(name, new Map(webhooks.map((webhook) => [webhook, ''])))
  }

  /** Somebody deletes a configuration. */
  remove(name: string): void {
    this.#bundles.delete(name)
  }

  /** Somebody changes every bundle of a configuration. */
  put(name: string, bundlePem: string): void {
    const bundles = this.#bundles.get(name)
    for (const webhook of bundles?.keys() ?? []) bundles?.set(webhook, bundlePem)
  }

  /** All bundles, each once. */
  bundles(): readonly string[] {
    return [...new Set([...this.#bundles.values()].flatMap((bundles) => [...bundles.values()]))]
  }
}
