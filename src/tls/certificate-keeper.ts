import type { CertificateSource, ServedCertificate } from '../ports/certificate-source.ts'
import type { Clock } from '../ports/clock.ts'
import type { SecretReading, SecretStore } from '../ports/secret-store.ts'
import type { ConfiguredTrust } from '../ports/trust-store.ts'
import { type AuthoritySet, bundleOf, noAuthorities } from './authority-set.ts'
import { CertificateSlot } from './certificate-slot.ts'
import {
  type AuthorityView,
  type CertificateTimes,
  certificateTimes,
  isLeafDue,
  type Leaf,
  leafValidity
} from './due.ts'
import { issueServerCertificate } from './issue.ts'
import { Publication } from './publication.ts'
import { type Published, type PublishParts, publishBundle } from './publish-bundle.ts'
import { SharedAuthorities } from './shared-authorities.ts'

/** What keeping certificates needs. */
export interface KeeperParts extends PublishParts {
  readonly secrets: SecretStore
  /** DNS names of the server. */
  readonly names: readonly string[]
  readonly clock: Clock
  /** 0 to 1, spreads replicas. */
  readonly random: () => number
  /** Default: `certificateTimes`. */
  readonly times?: CertificateTimes
}

/** Shortest pause between two looks, ms; somebody who keeps undoing our work must not make us run in circles. */
const CALM_MS = 100

/**
 * Keeps the certificate of one replica: shares authorities with the others through a Secret, makes its own server certificate in
 * memory, and has the webhook configurations believe all authorities. Replicas need no leader: each does what it finds undone, and a
 * conflict means that another one has done it. It goes by the clock of the API server, which alone judges certificates.
 */
export class CertificateKeeper implements CertificateSource {
  readonly #parts: KeeperParts
  readonly #times: CertificateTimes
  readonly #authorities: SharedAuthorities
  readonly #slot = new CertificateSlot()
  readonly #publication = new Publication()
  /** How early this replica renews, 0 to 1. */
  readonly #spread: number
  #remembered: AuthoritySet | undefined
  #leaf: Leaf | undefined
  #isReady = false
  #missing = ''
  /** What has to be added to the own clock to get that of the API server, ms. */
  #offsetMs = 0
  #lookedAtMs: number | undefined
  #pauseMs = 0
  #isWoken = false
  #endPause = (): void => undefined

  constructor(parts: KeeperParts) {
    this.#parts = parts
    this.#times = parts.times ?? certificateTimes
    this.#authorities = new SharedAuthorities(parts)
    this.#spread = parts.random()
  }

  current(signal: AbortSignal): Promise<ServedCertificate> {
    return this.#slot.current(signal)
  }

  onChange(listener: (certificate: ServedCertificate) => void): () => void {
    return this.#slot.onChange(listener)
  }

  missing(): readonly string[] {
    if (this.#isReady) return []
    return [this.#leaf === undefined ? 'certificate' : 'caBundle']
  }

  /** Looks after everything until `signal` aborts; no fault ends it. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isWoken = false
      this.#pauseMs = await this.#look(signal)
      await this.#pause(signal)
    }
  }

  /** Has it look soon, since something has changed. */
  wake(): void {
    this.#isWoken = true
    this.#endPause()
  }

  /** One look; returns the pause after it, ms. */
  async #look(signal: AbortSignal): Promise<number> {
    try {
      return await this.#lookAfterAll(signal)
    } catch (err) {
      if (!signal.aborted) await this.#cope(err)
      return this.#times.hastyLookMs
    }
  }

  async #lookAfterAll(signal: AbortSignal): Promise<number> {
    const { secrets, trust } = this.#parts
    const reading = await secrets.read(signal)
    const nowMs = this.#timeOf(reading) // one time for the whole look, since the own clock may jump at any moment
    const configured = await trust.read(signal)
    this.#publication.note(configured, this.#elapsedMs())
    this.#tellMissing(configured)
    const view = {
      ...this.#view(nowMs),
      remembered: this.#remembered,
      believed: this.#publication.believed()
    }
    const set = await this.#authorities.settle(reading, view, signal)
    if (set === undefined) return CALM_MS * (1 + this.#parts.random())
    this.#remembered = set
    const bundlePem = bundleOf(set, nowMs)
    const published = await publishBundle(this.#parts, { bundlePem, configured }, signal)
    await this.#renewLeaf(set, nowMs)
    this.#judgeReady(published)
    return this.#isSettled(set, published) ? this.#times.lookMs : this.#times.hastyLookMs
  }

  /** Without an answer of the API server what is remembered has to do. */
  async #cope(err: unknown): Promise<void> {
    const { clock, log, metrics } = this.#parts
    metrics.certificateFault()
    log.warn({ err }, 'certificates not looked after')
    try {
      await this.#renewLeaf(this.#remembered ?? noAuthorities, clock.nowMs() + this.#offsetMs)
    } catch (cause) {
      log.error({ err: cause }, 'server certificate not renewed')
    }
  }

  async #renewLeaf({ current }: AuthoritySet, nowMs: number): Promise<void> {
    const { names, log, metrics } = this.#parts
    if (current !== undefined) metrics.authorityEnds(current.notAfterMs)
    if (current?.keyPem === undefined || !isLeafDue({ ...this.#view(nowMs), current, spread: this.#spread }))
      return
    const validity = leafValidity(current, nowMs, this.#times)
    const signing = { certPem: current.certPem, keyPem: current.keyPem }
    const made = await issueServerCertificate({ validity, names, authority: signing })
    this.#leaf = { ...made, ...validity, authority: current }
    this.#slot.put(made)
    metrics.certificateEnds(validity.notAfterMs)
    const ends = new Date(validity.notAfterMs).toISOString()
    log.info({ ends, authority: current.fingerprint }, 'server certificate made')
  }

  #view(nowMs: number): Pick<AuthorityView, 'leaf' | 'publishedMs' | 'nowMs' | 'times'> {
    return {
      leaf: this.#leaf,
      publishedMs: (authority) => this.#publication.publishedMs(authority),
      nowMs,
      times: this.#times
    }
  }

  /** Ready once the certificate is believed wherever a webhook is registered; what is lost later is put right, and told. */
  #judgeReady(published: readonly Published[]): void {
    const there = published.filter(({ isThere }) => isThere)
    const isBelieved = there.length > 0 && there.every(({ inSync }) => inSync)
    if (this.#isReady || !isBelieved || this.#leaf === undefined) return
    this.#isReady = true
    this.#parts.log.info({}, 'server certificate is believed')
  }

  #isSettled({ current, next }: AuthoritySet, published: readonly Published[]): boolean {
    const isCurrent = this.#leaf?.authority.fingerprint === current?.fingerprint
    return isCurrent && next === undefined && published.every(({ isThere, inSync }) => inSync || !isThere)
  }

  /** Once for each change; a configuration that comes back wakes us. */
  #tellMissing(configured: readonly ConfiguredTrust[]): void {
    const missing = configured.flatMap(({ configuration, webhooks }) =>
      webhooks === undefined ? [configuration.name] : []
    )
    if (missing.length > 0 && missing.join() !== this.#missing)
      this.#parts.log.warn({ missing }, 'webhook configurations are missing')
    this.#missing = missing.join()
  }

  /** Time of the API server, or by the own clock what it would be. */
  #timeOf({ serverMs }: SecretReading): number {
    const ownMs = this.#parts.clock.nowMs()
    if (serverMs !== undefined) this.#offsetMs = serverMs - ownMs
    return ownMs + this.#offsetMs
  }

  /** Time since the look before, by the own clock; a clock that jumps makes it no longer than the pause that was made. */
  #elapsedMs(): number {
    const nowMs = this.#parts.clock.nowMs()
    const elapsedMs = nowMs - (this.#lookedAtMs ?? nowMs)
    this.#lookedAtMs = nowMs
    return Math.max(0, Math.min(elapsedMs, this.#pauseMs))
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    await clock.sleep(Math.min(CALM_MS, this.#pauseMs), signal)
    if (this.#isWoken || signal.aborted) return
    const pause = new AbortController()
    this.#endPause = () => pause.abort()
    signal.addEventListener('abort', this.#endPause, { once: true })
    await clock.sleep(this.#pauseMs - CALM_MS, pause.signal)
    signal.removeEventListener('abort', this.#endPause)
  }
}
