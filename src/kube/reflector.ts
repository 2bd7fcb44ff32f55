import { AppError } from '../core/errors.ts'
import type { ObjectChange, ObjectStore, StoreState } from '../ports/object-store.ts'
import { Backoff, pauseAfter, troubleOf } from './backoff.ts'
import { unlessAborted } from './exchange.ts'
import { KubeError, StreamBroken } from './kube-error.ts'
import { listCollection } from './list-collection.ts'
import { ProjectionStore } from './projection-store.ts'
import { type Reading, ReadingCourse } from './reading-course.ts'
import type { ReflectorHealth, ReflectorOptions, Trouble } from './reflector-options.ts'
import { watchCollection } from './watch-collection.ts'
import type { WatchEvent } from './watch-event.ts'
import { keyOfMetadata, type ObjectKey } from './watched-resource.ts'

/** Time limits of watches, seconds: random between them, so that replicas do not come back together. */
const WATCH_SECONDS = { shortest: 290, longest: 590 }

/** Mean time between two checks for missed events where nobody says, ms. */
const CHECK_MS = 30 * 60_000

/** Objects per page where nobody says. */
const PAGE_SIZE = 500

/** A watch that lived this long ends a series of failures, ms. */
const STEADY_MS = 10_000

/** A watch that ended sooner than this counts as a failure, ms. */
const HASTY_MS = 1_000

/** Between two looks for a collection that the cluster lacks, ms. */
const ABSENT_PAUSE_MS = 5 * 60_000

/** Watches that were refused in a row before the version itself is doubted and the collection listed anew. */
const DOUBT_AFTER = 5

/** Mirrors one collection of the API in memory: list, then watch, for ever; every fault is coped with, none ends it. */
export class Reflector<T> implements ObjectStore<T> {
  readonly #options: ReflectorOptions<T>
  readonly #store: ProjectionStore<T>
  readonly #stopping = new AbortController()
  readonly #firstList = Promise.withResolvers<void>()
  readonly #backoff: { readonly list: Backoff; readonly watch: Backoff }
  readonly #course: ReadingCourse
  #running: Promise<void> | undefined
  #watchesOpened = 0
  /** Whether the cluster lacks the collection, and may. */
  #absent = false
  #counts = { synced: false, relists: 0, watchRestarts: 0, drift: 0 }
  #health: ReflectorHealth = { phase: 'idle', trouble: undefined, lastBookmarkVersion: undefined }

  constructor(options: ReflectorOptions<T>) {
    this.#options = options
    const onListenerFault = (error: unknown) => this.#report({ kind: 'listener', error }, 'listener failed')
    this.#store = new ProjectionStore<T>({ equal: options.equal, onListenerFault })
    const { clock, random, pageSize = PAGE_SIZE, checkMs = CHECK_MS } = options
    this.#course = new ReadingCourse({ clock, random, pageSize, checkMs })
    this.#backoff = { list: new Backoff(random), watch: new Backoff(random) }
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
    const { clock } = this.#options
    const unheardMs = this.#absent ? 0 : this.#course.unheardMs() // of what is not there, nothing is to be heard
    const lastHeardMs = this.#counts.synced ? Math.round(clock.nowMs() - unheardMs) : 0
    return { ...this.#counts, lastHeardMs }
  }

  onChange(listener: (changes: readonly ObjectChange<T>[]) => void): () => void {
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
    const reading = this.#course.next()
    try {
      return await (reading.kind === 'watch'
        ? this.#watch(signal, reading.resourceVersion)
        : this.#list(signal, reading))
    } catch (error) {
      return signal.aborted ? 0 : this.#cope(reading, error)
    }
  }

  async #list(signal: AbortSignal, reading: Exclude<Reading, { kind: 'watch' }>): Promise<number> {
    const { connection, resource, metadataOnly = false } = this.#options
    const exactVersion = reading.kind === 'check' ? reading.resourceVersion : undefined
    this.#note({ phase: 'listing' })
    this.#course.listBegins()
    const next = this.#store.replacement()
    const request = { connection, resource, metadataOnly, pageSize: reading.pageSize, exactVersion, signal }
    const resourceVersion = await listCollection(request, (raw) =>
      next.add(this.#keyOf(raw), this.#project(raw))
    )
    if (signal.aborted) return 0
    this.#course.listed(resourceVersion)
    this.#absent = false
    const { synced, relists } = this.#counts
    this.#counts = { ...this.#counts, synced: true, relists: relists + (synced ? 1 : 0) }
    this.#listed(reading, next.commit())
    return 0
  }

  #listed({ kind }: Reading, differences: number): void {
    const { resource, log } = this.#options
    const fields = { kind: resource.kind, objects: this.#store.size(), differences }
    this.#backoff.list.reset()
    this.#note({ trouble: undefined })
    log.debug(fields, 'collection listed')
    if (kind === 'check' && differences > 0) {
      this.#counts = { ...this.#counts, drift: this.#counts.drift + differences }
      log.warn(fields, 'store had drifted and was put right')
    }
    this.#firstList.resolve()
  }

  async #watch(signal: AbortSignal, resourceVersion: string): Promise<number> {
    const { connection, resource, metadataOnly = false, clock, random } = this.#options
    const { shortest, longest } = WATCH_SECONDS
    this.#note({ phase: 'watching' })
    if (this.#watchesOpened > 0)
      this.#counts = { ...this.#counts, watchRestarts: this.#counts.watchRestarts + 1 }
    this.#watchesOpened += 1
    const startMs = clock.monotonicMs()
    const timeoutSeconds = shortest + Math.round(random() * (longest - shortest))
    const request = { connection, resource, metadataOnly, resourceVersion, timeoutSeconds, clock, signal }
    try {
      const end = await watchCollection(request, (event) => this.#apply(event))
      this.#note({ trouble: undefined })
      if (end === 'silent') this.#course.fellSilent()
    } finally {
      if (clock.monotonicMs() - startMs >= STEADY_MS) this.#backoff.watch.reset()
    }
    return clock.monotonicMs() - startMs < HASTY_MS ? this.#backoff.watch.next() : 0
  }

  #apply(event: WatchEvent): void {
    const { type, object, resourceVersion } = event
    if (this.#health.trouble !== undefined) this.#note({ trouble: undefined })
    if (type === 'BOOKMARK') this.#note({ lastBookmarkVersion: resourceVersion })
    else this.#store.put(this.#keyOf(object), type === 'DELETED' ? undefined : this.#project(object))
    this.#course.heard(resourceVersion)
  }

  /** Nothing is known of what may not be read, and so nothing is there. */
  #lack(error: KubeError): number {
    const { resource, log } = this.#options
    if (!this.#absent) log.info({ kind: resource.kind, status: error.status }, 'collection is not there')
    this.#absent = true
    this.#course.doubt()
    this.#store.replacement().commit()
    this.#counts = { ...this.#counts, synced: true }
    this.#note({ trouble: undefined })
    this.#firstList.resolve()
    return ABSENT_PAUSE_MS
  }

  #cope(reading: Reading, error: unknown): number {
    if (this.#options.optional === true && isAbsence(error)) return this.#lack(error)
    const what = reading.kind === 'watch' ? 'watch' : 'list'
    const backoff = this.#backoff[what]
    const kind = error instanceof StreamBroken ? 'broken' : troubleOf(error)
    const pauseMs = pauseAfter(error, backoff, this.#options.random)
    const doubted = what === 'watch' && error instanceof KubeError && backoff.failures >= DOUBT_AFTER
    if (kind === 'expired') this.#course.expired(reading)
    else if (kind === 'broken' || doubted) this.#course.doubt()
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

/** No such collection, or no right to read it. */
function isAbsence(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.status === 404 || error.status === 403)
}
