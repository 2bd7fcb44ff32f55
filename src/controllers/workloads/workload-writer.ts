import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '../../ports/log.ts'
import type { ObjectName, ObjectWriter } from '../../ports/object-writer.ts'
import { runPool } from '../write-pool.ts'
import { type DesiredWorkload, type DesireScope, desireWorkload } from './desire-workload.ts'
import { isSpecChanged, isStatusChanged } from './material-change.ts'
import { objectNameOf } from './object-name.ts'
import { keptNames } from './scraped-maxima.ts'
import type { Subject } from './subject.ts'
import type { WorkloadObject, WorkloadStatus } from './workload-object.ts'

/** Objects that are written or removed in one round at most; the others have their turn in the next. */
const MOST_WRITES = 5_000

/** Workloads that are decided on in one turn of the event loop. */
const BATCH = 25

const DAY_MS = 86_400_000

/** How often what is kept for a restart is saved where nothing else changes, ms: so much a crash may lose. */
const SAVED_EVERY_MS = 3_600_000

/** How a round went. */
export interface WrittenReport {
  readonly created: number
  readonly updated: number
  readonly removed: number
  readonly failed: number
  readonly deferred: number
  /** Workloads that would fit a smaller share, by policy. */
  readonly candidates: ReadonlyMap<string, number>
}

type Write =
  | {
      readonly kind: 'created' | 'updated'
      readonly object: ObjectName
      readonly desired: DesiredWorkload
      readonly withSpec: boolean
    }
  | { readonly kind: 'removed'; readonly object: ObjectName }

/** What is to be done about one workload, and what its object then says; undefined where it is to have none. */
interface Plan {
  readonly writes: readonly Write[]
  readonly status: WorkloadStatus | undefined
}

/** Writes what GpuWorkload objects should say, as far as it is not what they say. */
export class WorkloadWriter {
  readonly #parts: { readonly writer: ObjectWriter; readonly log: Log; readonly forgetAfterMs: number }
  /** When a pod of a workload was last seen, by key. */
  readonly #podSeenMs = new Map<string, number>()
  /** Names that are given and not yet in the store, by `namespace/name`. */
  #given = new Map<string, string>()
  /** Key at which the next round begins, so that nobody waits for ever. */
  #cursor = ''
  #startedMs: number | undefined
  /** When what is kept for a restart was last saved, by key. */
  readonly #savedMs = new Map<string, number>()
  /** Names of pods whose maxima are kept with a workload, by key; only where maxima are kept. */
  readonly #keptNames = new Map<string, readonly string[]>()

  constructor(parts: { readonly writer: ObjectWriter; readonly log: Log; readonly forgetAfterMs: number }) {
    this.#parts = parts
  }

  /** One round over all workloads. */
  async write(subjects: readonly Subject[], scope: DesireScope, signal: AbortSignal): Promise<WrittenReport> {
    this.#startedMs ??= scope.nowMs
    this.#noteNames(subjects)
    this.#notePods(subjects, scope.nowMs)
    const candidates = new Map<string, number>()
    const writes: { readonly key: string; readonly write: Write }[] = []
    const ordered = startingAt(subjects, this.#cursor)
    for (let start = 0; start < ordered.length && !signal.aborted; start += BATCH) {
      for (const subject of ordered.slice(start, start + BATCH)) {
        const plan = this.#plan(subject, scope)
        countCandidate(candidates, plan.status)
        for (const write of plan.writes) writes.push({ key: subject.key, write })
      }
      await nextTurn()
    }
    const now = writes.slice(0, MOST_WRITES).map(({ write }) => write)
    const counts = { created: 0, updated: 0, removed: 0 }
    const report = await runPool(
      now,
      async (write) => {
        await this.#carryOut(write, signal)
        counts[write.kind] += 1
      },
      {
        signal,
        onFault: ({ object }, err) =>
          this.#parts.log.warn(
            { workload: `${object.namespace}/${object.name}`, err },
            'workload not written'
          )
      }
    )
    const deferred = writes.length - now.length + report.left
    this.#cursor = writes[writes.length - deferred]?.key ?? ''
    return { ...counts, failed: report.failed, deferred, candidates }
  }

  /** Names of the pods whose maxima the object of a workload keeps; undefined where none are kept. */
  keptNamesOf(key: string): readonly string[] | undefined {
    return this.#keptNames.get(key)
  }

  #plan(subject: Subject, everywhere: DesireScope): Plan {
    const { object, duplicates } = subject
    const scope = { ...everywhere, isComplete: isCompleteFor(subject, everywhere) }
    const removals = scope.isComplete ? duplicates.map(removal) : []
    if (!this.#isRemembered(subject, scope)) {
      const gone = scope.isComplete && object !== undefined ? [removal(object)] : []
      return { writes: [...removals, ...gone], status: undefined }
    }
    if (object === undefined && !scope.isComplete) return { writes: removals, status: undefined }
    const desired = desireWorkload(subject, scope)
    if (scope.maxima !== undefined) this.#keptNames.set(subject.key, keptNames(subject))
    const write = this.#writeOf(subject, desired, scope.nowMs)
    return { writes: write === undefined ? removals : [...removals, write], status: desired.status }
  }

  /** undefined when the object says all that already. */
  #writeOf(subject: Subject, desired: DesiredWorkload, nowMs: number): Write | undefined {
    const { object, namespace, key } = subject
    const withSpec = isSpecChanged(object, desired.spec)
    const mustSave = nowMs - (this.#savedMs.get(key) ?? Number.NEGATIVE_INFINITY) >= SAVED_EVERY_MS
    if (!withSpec && !isStatusChanged(object?.status, desired.status, mustSave)) return undefined
    this.#savedMs.set(key, nowMs)
    const name = object?.name ?? this.#nameFor(subject)
    const kind = object === undefined ? 'created' : 'updated'
    return { kind, object: { kind: 'GpuWorkload', namespace, name }, desired, withSpec }
  }

  async #carryOut(write: Write, signal: AbortSignal): Promise<void> {
    const { writer } = this.#parts
    const { object } = write
    if (write.kind === 'removed') return writer.remove(object, signal)
    const { spec, status } = write.desired
    if (write.withSpec) await writer.applySpec(object, spec, signal)
    const found = await writer.applyStatus(object, { ...status }, signal)
    if (found) return
    // removed by somebody between list and now: it is still about a workload that is there
    await writer.applySpec(object, spec, signal)
    await writer.applyStatus(object, { ...status }, signal)
  }

  /**
   * A workload is remembered while it has pods, and for a while after its last pod or sample; a CronJob has none most of the time. What
   * was last seen before this process began counts from its beginning.
   */
  #isRemembered({ key, pods, histories, object }: Subject, { nowMs }: DesireScope): boolean {
    if (pods.length > 0) return true
    const lastSampleMs = histories
      .flatMap(({ blocks }) => blocks)
      .reduce((last, { dayMs }) => Math.max(last, dayMs + DAY_MS), Number.NEGATIVE_INFINITY)
    const sinceStartMs = object === undefined || histories.length > 0 ? undefined : this.#startedMs
    const lastMs = Math.max(
      lastSampleMs,
      this.#podSeenMs.get(key) ?? sinceStartMs ?? Number.NEGATIVE_INFINITY
    )
    return nowMs - lastMs < this.#parts.forgetAfterMs
  }

  #nameFor(subject: Subject): string {
    const { namespace, workload, key } = subject
    const isTaken = (name: string): boolean => {
      const owner = this.#given.get(`${namespace}/${name}`)
      return owner !== undefined && owner !== key
    }
    const name = objectNameOf(workload, isTaken)
    this.#given.set(`${namespace}/${name}`, key)
    return name
  }

  #noteNames(subjects: readonly Subject[]): void {
    this.#given = new Map(
      subjects.flatMap(({ key, namespace, object, duplicates }) =>
        [...(object === undefined ? [] : [object]), ...duplicates].map(
          ({ name }) => [`${namespace}/${name}`, key] as const
        )
      )
    )
  }

  #notePods(subjects: readonly Subject[], nowMs: number): void {
    const known = new Set(subjects.map(({ key }) => key))
    for (const remembered of [this.#podSeenMs, this.#savedMs, this.#keptNames])
      for (const key of remembered.keys()) if (!known.has(key)) remembered.delete(key)
    for (const { key, pods } of subjects) if (pods.length > 0) this.#podSeenMs.set(key, nowMs)
  }
}

function removal({ namespace, name }: WorkloadObject): Write {
  return { kind: 'removed', object: { kind: 'GpuWorkload', namespace, name } }
}

function startingAt(subjects: readonly Subject[], cursor: string): readonly Subject[] {
  const at = subjects.findIndex(({ key }) => key >= cursor)
  return at <= 0 ? subjects : [...subjects.slice(at), ...subjects.slice(0, at)]
}

function countCandidate(counts: Map<string, number>, status: WorkloadStatus | undefined): void {
  const isCandidate = status?.conditions?.some(
    ({ type, status: word }) => type === 'Candidate' && word === 'True'
  )
  if (status?.policy === undefined || isCandidate !== true) return
  counts.set(status.policy, (counts.get(status.policy) ?? 0) + 1)
}

/**
 * A workload is read in full when everything is, or when nothing is missing of its namespace and of the nodes of all its live pods. One
 * without pods may have been anywhere.
 */
function isCompleteFor(
  { namespace, pods }: Subject,
  { isComplete, missingNodes, missingNamespaces }: DesireScope
): boolean {
  if (isComplete || missingNodes === undefined) return isComplete
  if (missingNamespaces.has(namespace)) return false
  if (missingNodes.size === 0) return true
  return pods.length > 0 && pods.every(({ node }) => node !== '' && !missingNodes.has(node))
}
