import type { Clock } from '../ports/clock.ts'
import type { KubeConnection } from './connection.ts'
import { LineSplitter } from './line-splitter.ts'
import { parseWatchLine, type WatchEvent } from './watch-event.ts'
import { acceptOf, narrowing, type WatchedResource } from './watched-resource.ts'

/** What to watch, and from where. */
export interface WatchRequest {
  readonly connection: Pick<KubeConnection, 'request'>
  readonly resource: WatchedResource
  readonly metadataOnly: boolean
  readonly resourceVersion: string
  /** After this time the server ends the watch by itself. */
  readonly timeoutSeconds: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** How a watch came to an end without a fault: the server closed it, or nothing was heard for too long. */
export type WatchEnd = 'ended' | 'silent'

/** Silence after which a watch is given up, ms: bookmarks come about once a minute. */
const MAX_SILENCE_MS = 90_000

/** How long past its own time limit a watch may live, ms. */
const GRACE_MS = 30_000

/**
 * Watches a collection until it ends; hands over each event in order.
 * @throws AppError KUBE_UNREACHABLE, KUBE_UNAVAILABLE, KUBE_REFUSED; KubeError KUBE_EXPIRED; StreamBroken
 */
export async function watchCollection(
  request: WatchRequest,
  onEvent: (event: WatchEvent) => void
): Promise<WatchEnd> {
  const watchdog = new Watchdog(request)
  try {
    const response = await request.connection.request({
      method: 'GET',
      path: request.resource.path,
      query: {
        watch: true,
        ...narrowing(request.resource),
        allowWatchBookmarks: true,
        resourceVersion: request.resourceVersion,
        timeoutSeconds: request.timeoutSeconds
      },
      headers: { accept: acceptOf(request.metadataOnly, 'watch') },
      signal: watchdog.signal,
      timeoutMs: 0
    })
    await readEvents(request.resource.path, heardBy(watchdog, response.body), onEvent)
    return 'ended'
  } catch (error) {
    if (watchdog.barked) return 'silent'
    throw error
  } finally {
    watchdog.release()
  }
}

/** A last line without its newline is dropped: the next watch begins before it. */
async function readEvents(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  onEvent: (event: WatchEvent) => void
): Promise<void> {
  const splitter = new LineSplitter(path)
  for await (const piece of pieces) {
    for (const line of splitter.push(piece)) onEvent(parseWatchLine(path, line))
  }
}

async function* heardBy(watchdog: Watchdog, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    watchdog.heard()
    yield piece
  }
}

/** Aborts its signal when nothing was heard for too long, when a watch outlives its limit, or when the caller aborts. */
class Watchdog {
  readonly #controller = new AbortController()
  readonly #clock: Clock
  readonly #outer: AbortSignal
  readonly #deadlineMs: number
  #heardMs: number
  #barked = false

  constructor({ clock, signal, timeoutSeconds }: WatchRequest) {
    this.#clock = clock
    this.#outer = signal
    this.#heardMs = clock.monotonicMs()
    this.#deadlineMs = this.#heardMs + timeoutSeconds * 1000 + GRACE_MS
    if (signal.aborted) this.release()
    signal.addEventListener('abort', this.release, { once: true })
    void this.#guard()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the watch was given up for silence or age. */
  get barked(): boolean {
    return this.#barked
  }

  heard(): void {
    this.#heardMs = this.#clock.monotonicMs()
  }

  /** Ends the guard, and with it whatever still runs on the signal. */
  readonly release = (): void => {
    this.#outer.removeEventListener('abort', this.release)
    this.#controller.abort(new Error('the watch was given up'))
  }

  async #guard(): Promise<void> {
    while (!this.signal.aborted) {
      const restMs = Math.min(this.#heardMs + MAX_SILENCE_MS, this.#deadlineMs) - this.#clock.monotonicMs()
      if (restMs <= 0) {
        this.#barked = true
        this.release()
        return
      }
      await this.#clock.sleep(restMs, this.signal)
    }
  }
}
