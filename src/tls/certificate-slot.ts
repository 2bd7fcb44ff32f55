import type { CertificateSource, ServedCertificate } from '../ports/certificate-source.ts'

/** Holds the newest certificate for whoever serves it. */
export class CertificateSlot implements Pick<CertificateSource, 'current' | 'onChange'> {
  readonly #first = Promise.withResolvers<void>()
  #newest: ServedCertificate | undefined
  #listeners: readonly ((certificate: ServedCertificate) => void)[] = []

  async current(signal: AbortSignal): Promise<ServedCertificate> {
    if (this.#newest === undefined) await this.#untilFirst(signal)
    signal.throwIfAborted()
    if (this.#newest === undefined) throw new Error('the first certificate is not there')
    return this.#newest
  }

  onChange(listener: (certificate: ServedCertificate) => void): () => void {
    const call = (certificate: ServedCertificate): void => listener(certificate) // a name of its own
    this.#listeners = [...this.#listeners, call]
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== call)
    }
  }

  /** Puts in a newer certificate and tells everybody. */
  put(certificate: ServedCertificate): void {
    this.#newest = certificate
    this.#first.resolve()
    for (const listener of this.#listeners) listener(certificate)
  }

  async #untilFirst(signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<void>()
    const onAbort = (): void => aborted.resolve()
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    await Promise.race([this.#first.promise, aborted.promise])
    signal.removeEventListener('abort', onAbort)
  }
}

/** A certificate that stays what it is. */
export function fixedCertificate(certificate: ServedCertificate): CertificateSource {
  return {
    current: () => Promise.resolve(certificate),
    onChange: () => () => undefined,
    missing: () => []
  }
}
