import { AppError } from '../core/errors.ts'
import type { ObjectStore, StoreState } from '../ports/object-store.ts'
import { Backoff, pauseAfter, troubleOf } from './backoff.ts'
import { unlessAborted } from './exchange.ts'
import { KubeError, StreamBroken } from './kube-error.ts'
import { listCollection } from './list-collection.ts'
import { ProjectionStore } from './projection-store.ts'
import type { ReflectorHealth, ReflectorOptions, Trouble } from './reflector-options.ts'
import { watchCollection } from './watch-collection.ts'
import type { WatchEvent } from './watch-event.ts'
import { keyOfMetadata, type ObjectKey } from './watched-resource.ts'

/** Time limits of watches, seconds: random between them, so that replicas do not come back together. */
const WATCH_SECONDS = { shortest: 290, longest: 590 }

/** Mean time between lists that look for missed events, ms; each is drawn from 27 to 33 minutes. */
const RELIST_MS = 30 * 60_000

/**
 * Where no bookmarks come: silence after which the collection is listed anew, ms, before the API server, which forgets versions
 * older than five minutes, refuses the one that was heard last.
 */
const FORGOTTEN_MS = 4 * 60_000

/** A watch that lived this long ends a series of failures, ms. */
const STEADY_MS = 10_000

/** A watch that ended sooner than this counts as a failure, ms. */
const HASTY_MS = 1_000

/** Watches that were refused in a row before the version itself is doubted and the collection listed anew. */
const DOUBT_AFTER = 5

/** Mirrors one collection of the API in memory: list, then watch, for ever; every fault is coped with, none ends it. */
export class Reflector<T> implements ObjectStore<T> {
  readonly #options: ReflectorOptions<T>
  readonly #store: ProjectionStore<T>
  readonly #stopping = new AbortController()
  readonly #firstList = Promise.withResolvers<void>()
  readonly #backoff: { readonly list: Backoff; readonly watch: Backoff }
  #running: Promise<void> | undefined
  /** Where to watch from; undefined: list first. */
  #resumeAt: string | undefined
  #relistDueMs = 0
  #watchesOpened = 0
  #state: StoreState = { synced: false, lastHeardMs: 0, relists: 0, watchRestarts: 0 }
  #health: ReflectorHealth = { phase: 'idle', trouble: undefined, lastBookmarkVersion: undefined, drift: 0 }

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    const onListenerFault = (error: unknown) => this.#report({ kind: 'listener', error }, 'listener failed')
    this.#store = new ProjectionStore<T>({ equal: options.equal, onListenerFault })
    this.#backoff = { list: new Backoff(options.random), watch: new Backoff(options.random) }
    this.#firstList.promise.catch(() => undefined) // stopped before anybody waited: not a fault
  }

  get(namespace: string, name: string): T | undefined {
    return this.#store.get({ namespace, name })
  }

  list(): readonly T[] {
    return this.#store.list()
  }

  version(): number {
    return this.#store.version()
  }

  state(): StoreState {
    return this.#state
  }

  onChange(listener: () => void): () => void {
    return this.#store.onChange(listener)
  }

  /** What it is doing now. */
  health(): ReflectorHealth {
    return this.#health
  }

  /** Begins to read; a second call, or one after `stop`, does nothing. */
  start(): void {
    this.#running ??= this.#run(this.#stopping.signal)
  }

  /** Ends reading for good; resolves when nothing runs any more. What was read stays readable. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#firstList.reject(
      new AppError('KUBE_UNREACHABLE', `${this.#options.resource.path}: stopped before it was read`)
    )
    this.#running ??= Promise.resolve()
    await this.#running
    this.#note({ phase: 'stopped' })
  }

  /**
   * Resolves once the first whole list is in memory.
   * @throws the signal's reason when it aborts first; AppError KUBE_UNREACHABLE when the reflector is stopped first
   */
  async synced(signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#firstList.promise, signal)
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = await this.#step(signal)
      if (pauseMs === 0 || signal.aborted) continue
      this.#note({ phase: 'waiting' })
      await this.#options.clock.sleep(pauseMs, signal)
    }
  }

  /** One list or one watch; returns the pause after it, ms. */
  async #step(signal: AbortSignal): Promise<number> {
    const resumeAt = this.#resumeAt
    if (resumeAt === undefined) return this.#coping('list', signal, () => this.#list(signal, undefined))
    if (this.#options.clock.nowMs() >= this.#relistDueMs) {
      return this.#coping('list', signal, () => this.#list(signal, resumeAt))
    }
    return this.#coping('watch', signal, () => this.#watch(signal, resumeAt))
  }

  async #coping(what: 'list' | 'watch', signal: AbortSignal, act: () => Promise<number>): Promise<number> {
    try {
      return await act()
    } catch (error) {
      return signal.aborted ? 0 : this.#cope(what, error)
    }
  }

  /** `exactVersion`: the list is a check of what events told until that version, so every difference is drift. */
  async #list(signal: AbortSignal, exactVersion: string | undefined): Promise<number> {
    const { connection, resource, metadataOnly = false, pageSize = 500, clock, random, log } = this.#options
    this.#note({ phase: 'listing' })
    this.#relistDueMs = clock.nowMs() + Math.round(RELIST_MS * (0.9 + 0.2 * random()))
    const next = this.#store.replacement()
    const request = { connection, resource, metadataOnly, pageSize, exactVersion, signal }
    const resourceVersion = await listCollection(request, (raw) =>
      next.add(this.#keyOf(raw), this.#project(raw))
    )
    if (signal.aborted) return 0
    const { synced, relists } = this.#state
    this.#resumeAt = resourceVersion
    this.#state = {
      ...this.#state,
      synced: true,
      lastHeardMs: clock.nowMs(),
      relists: relists + (synced ? 1 : 0)
    }
    const differences = next.commit()
    this.#backoff.list.reset()
    this.#note({
      trouble: undefined,
      drift: this.#health.drift + (exactVersion === undefined ? 0 : differences)
    })
    log.debug({ kind: resource.kind, objects: this.list().length, differences }, 'collection listed')
    this.#firstList.resolve()
    return 0
  }

  async #watch(signal: AbortSignal, resourceVersion: string): Promise<number> {
    const { connection, resource, metadataOnly = false, clock, random } = this.#options
    const { shortest, longest } = WATCH_SECONDS
    this.#note({ phase: 'watching' })
    if (this.#watchesOpened > 0)
      this.#state = { ...this.#state, watchRestarts: this.#state.watchRestarts + 1 }
    this.#watchesOpened += 1
    const startMs = clock.nowMs()
    const timeoutSeconds = shortest + Math.round(random() * (longest - shortest))
    const request = { connection, resource, metadataOnly, resourceVersion, timeoutSeconds, clock, signal }
    try {
      const end = await watchCollection(request, (event) => this.#apply(event))
      this.#note({ trouble: undefined })
      if (end === 'silent') this.#listBeforeForgotten()
    } finally {
      if (clock.nowMs() - startMs >= STEADY_MS) this.#backoff.watch.reset()
    }
    return clock.nowMs() - startMs < HASTY_MS ? this.#backoff.watch.next() : 0
  }

  #listBeforeForgotten(): void {
    const { resource, clock } = this.#options
    const unheardMs = clock.nowMs() - this.#state.lastHeardMs
    if (resource.sendsBookmarks === false && unheardMs >= FORGOTTEN_MS) this.#resumeAt = undefined
  }

  #apply(event: WatchEvent): void {
    const { type, object, resourceVersion } = event
    if (this.#health.trouble !== undefined) this.#note({ trouble: undefined })
    if (type === 'BOOKMARK') this.#note({ lastBookmarkVersion: resourceVersion })
    else this.#store.put(this.#keyOf(object), type === 'DELETED' ? undefined : this.#project(object))
    this.#resumeAt = resourceVersion
    this.#state = { ...this.#state, lastHeardMs: this.#options.clock.nowMs() }
  }

  #cope(what: 'list' | 'watch', error: unknown): number {
    const backoff = this.#backoff[what]
    const kind = error instanceof StreamBroken ? 'broken' : troubleOf(error)
    const pauseMs = pauseAfter(error, backoff, this.#options.random)
    const doubted = what === 'watch' && error instanceof KubeError && backoff.failures >= DOUBT_AFTER
    if (kind === 'expired' || kind === 'broken' || doubted) this.#resumeAt = undefined
    this.#note({ trouble: kind })
    this.#report({ kind, error }, `${what} failed`, pauseMs)
    return pauseMs
  }

  #keyOf(raw: unknown): ObjectKey {
    const key = (this.#options.keyOf ?? keyOfMetadata)(raw)
    if (key === undefined) throw new StreamBroken(this.#options.resource.path, 'an object has no name')
    return key
  }

  /** A projection that throws costs this one object, not the whole collection. */
  #project(raw: unknown): T | undefined {
    try {
      return this.#options.project(raw)
    } catch (error) {
      this.#report({ kind: 'projection', error }, 'object not understood')
      return undefined
    }
  }

  #report(trouble: Trouble, message: string, pauseMs?: number): void {
    const { log, onTrouble, resource } = this.#options
    const fields = { kind: resource.kind, trouble: trouble.kind, err: trouble.error }
    if (trouble.kind === 'listener' || trouble.kind === 'projection') log.error(fields, message)
    else log.warn({ ...fields, pauseMs }, message)
    try {
      onTrouble?.(trouble)
    } catch (error) {
      log.error({ kind: resource.kind, err: error }, 'trouble hook failed')
    }
  }

  #note(change: Partial<ReflectorHealth>): void {
    this.#health = { ...this.#health, ...change }
  }
}
