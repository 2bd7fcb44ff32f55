import type { Clock } from '../ports/clock.ts'

/** What a reflector does next. */
export type Reading =
  /** Lists the collection as it is now. */
  | { readonly kind: 'list'; readonly pageSize: number }
  /** Lists it exactly as it was at a version that is known, so that every difference from the store is a defect. */
  | { readonly kind: 'check'; readonly pageSize: number; readonly resourceVersion: string }
  | { readonly kind: 'watch'; readonly resourceVersion: string }

/** What the order of readings hangs on. */
export interface ReadingCourseOptions {
  readonly clock: Clock
  readonly random: () => number
  /** Objects per page of a list. */
  readonly pageSize: number
  /** Mean time between two checks, ms; each is drawn from 90 % to 110 % of it. */
  readonly checkMs: number
}

/**
 * Silence after which the version to go on from is doubted, ms. Where no bookmarks come, it will soon be forgotten: the API server
 * keeps versions for five minutes. Where they should come, the API server may have been restored from a backup: it counts from lower
 * then, and tells a watch nothing until it has caught up.
 */
const DOUBT_AFTER_MS = 4 * 60_000

/** Growth of pages with each list whose page token ran out before the end: 500, 2,000, 8,000 objects. */
const PAGE_GROWTH = 4

/** Growths after which pages are long enough for any collection. */
const MOST_GROWTHS = 6

/** The order in which a collection is read: a list, then watches from where the last one came to, a check now and then. */
export class ReadingCourse {
  readonly #options: ReadingCourseOptions
  /** Where to watch from; undefined: list first. */
  #resumeAt: string | undefined
  #heardMs: number | undefined
  #checkDueMs = 0
  #expiredLists = 0

  constructor(options: ReadingCourseOptions) {
    this.#options = options
  }

  next(): Reading {
    const resourceVersion = this.#resumeAt
    const pageSize = this.#options.pageSize * PAGE_GROWTH ** Math.min(this.#expiredLists, MOST_GROWTHS)
    if (resourceVersion === undefined) return { kind: 'list', pageSize }
    if (this.#options.clock.monotonicMs() >= this.#checkDueMs)
      return { kind: 'check', pageSize, resourceVersion }
    return { kind: 'watch', resourceVersion }
  }

  /** A list or a check begins; one that fails leaves the next check to its usual time. */
  listBegins(): void {
    const { clock, random, checkMs } = this.#options
    this.#checkDueMs = clock.monotonicMs() + Math.round(checkMs * (0.9 + 0.2 * random()))
  }

  /** A whole list came, or an event or bookmark of a watch. */
  heard(resourceVersion: string): void {
    this.#resumeAt = resourceVersion
    this.#heardMs = this.#options.clock.monotonicMs()
  }

  /** A list came to its end. */
  listed(resourceVersion: string): void {
    this.heard(resourceVersion)
    this.#expiredLists = 0
  }

  /** A watch was given up since nothing came any more. */
  fellSilent(): void {
    if (this.unheardMs() >= DOUBT_AFTER_MS) this.doubt()
  }

  /** The version to go on from is of no use. */
  doubt(): void {
    this.#resumeAt = undefined
  }

  /** A version or page token ran out during this reading. Of a list only the token can have: longer pages come sooner to the end. */
  expired({ kind }: Reading): void {
    if (kind === 'list') this.#expiredLists += 1
    this.doubt()
  }

  /** Time since the API server was last heard of, ms; 0 before the first list. */
  unheardMs(): number {
    return this.#heardMs === undefined ? 0 : this.#options.clock.monotonicMs() - this.#heardMs
  }
}
