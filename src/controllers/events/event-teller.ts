import { workloadOf } from '../../core/pod/workload.ts'
import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import { ownerLookup } from '../../gather/owner-mark.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { RefusalRecord } from '../../gather/refusal-record.ts'
import type { ObjectStore } from '../../ports/object-store.ts'
import { type ControllerStores, shareNamespaceLookup } from '../controller-stores.ts'
import { repeatOnChange } from '../rounds.ts'
import { type DecisionView, eventsOf, seenDecision } from './decision-events.ts'
import { NamespaceLimits } from './namespace-limits.ts'
import { hasNearLimit, nearLimitTellings } from './near-limit-events.ts'
import { refusalTellings } from './refusal-events.ts'
import { OnceTeller, type Telling, type TellingParts } from './tell-once.ts'

/** What is looked at: the cluster, and what Kubernetes told of refused pods. */
export interface TellerStores extends ControllerStores {
  readonly refusals: ObjectStore<RefusalRecord>
}

/** What telling needs. */
interface TellerParts extends TellingParts {
  readonly stores: TellerStores
}

/** Between two looks without any change, ms. */
const IDLE_MS = 60_000

/** A pod older than this is no news, ms: so a process that begins does not tell of every pod there is. */
const NEWS_MS = 600_000

/** Workloads whose reason is remembered. */
const MOST_KNOWN = 20_000

/** What one look at the cluster reads. */
type Look = DecisionView & { readonly nowMs: number }

/** Tells by Events what was decided about pods, which were refused, and which shares are nearly full; each case once. */
export class EventTeller {
  readonly #parts: TellerParts
  readonly #once: OnceTeller
  /** Reason that was last seen, by workload. */
  readonly #reasons = new Map<string, string>()
  /** Whoever writes Events in a namespace can forge refusals there. */
  readonly #refusalLimits = new NamespaceLimits()

  constructor(parts: TellerParts) {
    this.#parts = parts
    this.#once = new OnceTeller(parts)
  }

  /** Looks at what is new until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { stores, clock } = this.#parts
    const watched = [stores.pods, stores.refusals]
    await repeatOnChange(() => this.look(signal), { watched, everyMs: IDLE_MS, clock, signal })
  }

  /** One look at everything. */
  async look(signal: AbortSignal): Promise<void> {
    const { stores, clock } = this.#parts
    const nowMs = clock.nowMs()
    const look = { ownerOf: ownerLookup(stores), namespaceOf: shareNamespaceLookup(stores), nowMs }
    await this.#tellDecisions(look, signal)
    await this.#tellAll([...this.#refusals(look), ...this.#nearLimits(look)], signal)
  }

  async #tellDecisions(look: Look, signal: AbortSignal): Promise<void> {
    const fresh = this.#parts.stores.pods.list().filter(({ createdMs }) => look.nowMs - createdMs < NEWS_MS)
    let stored: ReadonlyMap<string, string> | undefined
    for (const pod of fresh.toSorted(oldestFirst)) {
      if (signal.aborted) return
      const seen = seenDecision(pod, look)
      if (seen === undefined) continue
      const key = `${seen.workload} ${seen.template} ${seen.reason}`
      if (this.#once.knows(key)) continue
      stored ??= this.#storedReasons()
      const reasonBefore = this.#reasons.get(seen.workload) ?? stored.get(seen.workload)
      const messages = eventsOf(seen, { reasonBefore, nowMs: look.nowMs })
      if (!(await this.#once.tell({ key, messages }, signal))) continue
      if (this.#reasons.size >= MOST_KNOWN) this.#reasons.clear()
      this.#reasons.set(seen.workload, seen.reason)
    }
  }

  /** Reasons in the objects of workloads, which other processes wrote, by workload. */
  #storedReasons(): ReadonlyMap<string, string> {
    return new Map(
      this.#parts.stores.workloads.list().flatMap(({ namespace, workload, status }) => {
        const reason = status?.decision?.reason
        return reason === undefined ? [] : [[recordKey(namespace, workload), reason] as const]
      })
    )
  }

  #refusals(look: Look): readonly Telling[] {
    return this.#parts.stores.refusals.list().flatMap((refusal) => {
      const limit = this.#refusalLimits.of(refusal.namespace)
      return refusalTellings(refusal, look).map((telling) => ({ ...telling, limit }))
    })
  }

  #nearLimits(look: Look): readonly Telling[] {
    const { stores } = this.#parts
    const objects = stores.workloads.list().filter((object) => hasNearLimit(object, look.nowMs))
    if (objects.length === 0) return []
    const pods = Map.groupBy(stores.pods.list(), ({ namespace, view }) =>
      recordKey(namespace, workloadOf(view, look.ownerOf))
    )
    return objects.flatMap((object) => {
      const own = pods.get(recordKey(object.namespace, object.workload)) ?? []
      return nearLimitTellings(object, { ...look, pods: own.filter(({ endedMs }) => endedMs === undefined) })
    })
  }

  async #tellAll(tellings: readonly Telling[], signal: AbortSignal): Promise<void> {
    for (const telling of tellings) {
      if (signal.aborted) return
      await this.#once.tell(telling, signal)
    }
  }
}

function oldestFirst(a: PodRecord, b: PodRecord): number {
  return a.createdMs - b.createdMs || (a.uid < b.uid ? -1 : 1)
}
