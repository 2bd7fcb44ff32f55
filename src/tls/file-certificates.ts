import type { CertificateMetrics } from '../ports/certificate-metrics.ts'
import type { CertificateSource, ServedCertificate } from '../ports/certificate-source.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { CertificateSlot } from './certificate-slot.ts'
import { type CertificateFiles, readCertificates, type ServerCertificate } from './read-certificates.ts'

/** What reading certificates from files needs. */
export interface FileParts {
  readonly files: CertificateFiles
  readonly clock: Clock
  readonly log: Log
  readonly metrics: CertificateMetrics
}

/** How often the files are read, ms. Whole files are compared, so a mounted Secret, whose directory is swapped, is seen too. */
const LOOK_MS = 10_000

/** A certificate from files, taken anew whenever they change to one that can be used. */
export class FileCertificates implements CertificateSource {
  readonly #parts: FileParts
  readonly #slot = new CertificateSlot()
  #served = ''
  #told = ''

  private constructor(parts: FileParts) {
    this.#parts = parts
  }

  /** Reads the files for the first time. @throws AppError CERTIFICATE_INVALID */
  static async open(parts: FileParts): Promise<FileCertificates> {
    const opened = new FileCertificates(parts)
    opened.#serve(await readCertificates(parts.files, parts.clock.nowMs()))
    return opened
  }

  current(signal: AbortSignal): Promise<ServedCertificate> {
    return this.#slot.current(signal)
  }

  onChange(listener: (certificate: ServedCertificate) => void): () => void {
    return this.#slot.onChange(listener)
  }

  /** Whether anybody believes it is not known here. */
  missing(): readonly string[] {
    return []
  }

  /** Reads the files again and again until `signal` aborts; files that cannot be used leave the certificate as it is. */
  async run(signal: AbortSignal): Promise<void> {
    const { files, clock } = this.#parts
    while (!signal.aborted) {
      await clock.sleep(LOOK_MS, signal)
      if (signal.aborted) return
      try {
        this.#serve(await readCertificates(files, clock.nowMs()))
        this.#told = ''
      } catch (err) {
        this.#tell(err)
      }
    }
  }

  #serve({ certPem, keyPem, notAfterMs }: ServerCertificate): void {
    const { log, metrics } = this.#parts
    const content = certPem + keyPem
    if (content === this.#served) return
    this.#served = content
    metrics.certificateEnds(notAfterMs)
    log.info({ ends: new Date(notAfterMs).toISOString() }, 'certificate read')
    this.#slot.put({ certPem, keyPem })
  }

  /** Counted each time, told once for each fault: half of a pair is normal for a moment. */
  #tell(err: unknown): void {
    const text = String(err)
    this.#parts.metrics.certificateFault()
    if (text !== this.#told) this.#parts.log.warn({ err }, 'certificate files cannot be used')
    this.#told = text
  }
}
