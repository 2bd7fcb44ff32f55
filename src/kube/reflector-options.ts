import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { TroubleKind } from './backoff.ts'
import type { KubeConnection } from './connection.ts'
import type { ObjectKey, WatchedResource } from './watched-resource.ts'

/** Trouble that a reflector copes with; `projection` and `listener` are faults of our own code. */
export interface Trouble {
  readonly kind: TroubleKind | 'broken' | 'projection' | 'listener'
  readonly error: unknown
}

/** What a reflector is doing, for metrics and readiness. */
export interface ReflectorHealth {
  readonly phase: 'idle' | 'listing' | 'watching' | 'waiting' | 'stopped'
  /** Trouble of the last list or watch; undefined once one went well. */
  readonly trouble: Trouble['kind'] | undefined
  /** Version of the last bookmark; undefined before the first. */
  readonly lastBookmarkVersion: string | undefined
}

/** What a reflector needs. */
export interface ReflectorOptions<T> {
  readonly connection: Pick<KubeConnection, 'request'>
  readonly resource: WatchedResource
  /** The part of an object that is kept; undefined: the object is not kept. One that throws costs that object only. */
  readonly project: (raw: unknown) => T | undefined
  /** Key of an object; default: namespace and name of its metadata. Must not throw. */
  readonly keyOf?: (raw: unknown) => ObjectKey | undefined
  /** Whether two projections say the same; default: equal as JSON. Must not throw. */
  readonly equal?: (a: T, b: T) => boolean
  /**
   * Whether the cluster may lack the collection, or the right to read it: then it is empty, and is looked for now and then. Default false.
   */
  readonly optional?: boolean
  /** Asks the server for metadata only; default false. */
  readonly metadataOnly?: boolean
  /** Objects per page of a list; default 500. */
  readonly pageSize?: number
  /** Mean time between two checks of the store against a fresh list, ms; default half an hour. */
  readonly checkMs?: number
  readonly clock: Clock
  /** 0 to 1, spreads pauses and time limits. */
  readonly random: () => number
  readonly log: Log
  /** Told of each trouble once it was coped with; what it throws is logged. */
  readonly onTrouble?: (trouble: Trouble) => void
}
