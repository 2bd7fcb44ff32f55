import type { ConfiguredTrust } from '../ports/trust-store.ts'
import { type Authority, authoritiesIn } from './authority.ts'

/** How long each authority has been seen in every webhook configuration, look after look. */
export class Publication {
  #seenMs: ReadonlyMap<string, number> = new Map()
  #believed: readonly Authority[] = []

  /** Takes in what a look showed, so long after the one before, ms. */
  note(configured: readonly ConfiguredTrust[], elapsedMs: number): void {
    const bundles = configured.flatMap(({ webhooks = [] }) =>
      webhooks.map(({ bundlePem }) => authoritiesIn(bundlePem))
    )
    const [first = [], ...others] = bundles.map((bundle) => bundle.map(({ fingerprint }) => fingerprint))
    const everywhere = first.filter((one) => others.every((other) => other.includes(one)))
    this.#believed = bundles.flat()
    this.#seenMs = new Map(
      everywhere.map((one) => {
        const before = this.#seenMs.get(one)
        return [one, before === undefined ? 0 : before + elapsedMs]
      })
    )
  }

  /** Authorities that any webhook believes. */
  believed(): readonly Authority[] {
    return this.#believed
  }

  /** How long every webhook has been seen to believe it, ms; 0 when one does not. */
  publishedMs({ fingerprint }: Pick<Authority, 'fingerprint'>): number {
    return this.#seenMs.get(fingerprint) ?? 0
  }
}
