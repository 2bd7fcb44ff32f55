import type { DeviceSeries, DiscardCounts } from '../core/usage/dialect-series.ts'

/** What can be wrong with a source; a fixed set, fit for a metric's label. */
export type SourceFaultKind =
  | 'unreachable'
  | 'timeout'
  | 'tls'
  | 'redirected'
  | 'unauthorised'
  | 'credentials'
  | 'throttled'
  | 'refused'
  | 'server-error'
  | 'bad-answer'
  | 'too-large'
  | 'partial-answer'
  | 'series-limit'
  | 'budget'
  | 'aborted'
  | 'no-metric'
  | 'no-target'

/** One kind of trouble in one reading. */
export interface SourceFault {
  readonly kind: SourceFaultKind
  /** The first of them in a sentence: what was asked and what came; without control characters, at most 300 of them. */
  readonly message: string
  /** How often it happened in this reading. */
  readonly count: number
}

/** How much of a day is known: everything asked was answered, some of it was not, or all was and there is nothing. */
export interface DayState {
  /** Start of the day, UTC, ms since the epoch. */
  readonly dayMs: number
  readonly state: 'complete' | 'partial' | 'empty'
}

/** What a reading cost. */
export interface ReadingCost {
  /** Requests sent, repeats included. */
  readonly queries: number
  /** Bytes of answers' bodies. */
  readonly bytes: number
  readonly elapsedMs: number
}

/** What a source knows at one time. */
export interface UsageReading {
  /**
   * `complete`: every day was answered in full. `partial`: something is missing, named in `faults` and `days`; the maxima that are
   * there are lower bounds, so nothing may be made smaller because of them. `failed`: nothing could be asked; `series` is what
   * was known before.
   */
  readonly status: 'complete' | 'partial' | 'failed'
  readonly nowMs: number
  /**
   * On a partial reading whose gaps are all known by node or by namespace: those nodes. What is of any other node and of none of
   * `missingNamespaces` is whole. Absent where nobody can tell what is missing.
   */
  readonly missingNodes?: readonly string[]
  /** Namespaces of which series had to be left out, because there are more than are kept; absent where there are none. */
  readonly missingNamespaces?: readonly string[]
  /** In a fixed order. */
  readonly series: readonly DeviceSeries[]
  /** The days asked for, oldest first; the last is the one that is not over. */
  readonly days: readonly DayState[]
  /** Names of the metrics that were found. */
  readonly metricNames: readonly string[]
  /** Time of the newest value of a memory metric, ms since the epoch; undefined when none was written in the last minutes. */
  readonly newestSampleMs: number | undefined
  /** By kind, each once. */
  readonly faults: readonly SourceFault[]
  /** What was not believed in this reading; days that were settled before count no more. */
  readonly discarded: DiscardCounts
  readonly cost: ReadingCost
}

/** What is to be read. */
export interface ReadRequest {
  readonly nowMs: number
  /** How many days to look back, today among them; 1 to 28. */
  readonly lookbackDays: number
  readonly signal?: AbortSignal
}

/**
 * Where measured GPU use comes from. Promises to everyone who reads it:
 * - Maxima, never averages: each `DayPeak.max` is the highest believable value of that series on that UTC day.
 * - What it cannot know is absent. A value that no GPU can have, a blank, NaN or an infinity is discarded and counted, never
 *   clipped; a day on which nothing else remains has no entry.
 * - It attributes nothing. Series keep namespace, pod and container as the exporter wrote them, and those of the device itself
 *   (pod '') are given too. Whether a value is the pod's own is judged by others, by `deviceKey`, `perProcess` and time: when two
 *   pods show one device on one day, both days carry `firstMs` and `lastMs`, to within a minute, where the source could tell.
 *   A missing `firstMs` on such a day means that it is not known, so the pods may have been there together.
 * - Zero is a value like others; an exporter that cannot see a pod's processes writes zeros.
 * - Trouble outside never throws: it is a fault in the reading, with bounded time and memory, and what was known stays.
 * - Label values are hostile text. They come without control characters; names that Kubernetes could not have given are discarded.
 */
export interface UsageSource {
  /** What is known now; asks only what can have changed since the last reading. One reading at a time. */
  read(request: ReadRequest): Promise<UsageReading>
  /** Ends what runs and lets go of connections. */
  close(): Promise<void>
}
