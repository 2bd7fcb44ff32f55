import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { EventOutcome } from '../../ports/controller-metrics.ts'
import type { EventMessage } from '../../ports/event-sink.ts'
import { type ControllerStores, namespaceLookup, ownerLookup } from '../controller-stores.ts'
import { eventsOf, seenDecision } from './decision-events.ts'
import { type EventParts, LimitedEvents } from './limited-events.ts'

/** What telling needs. */
export interface TellerParts extends EventParts {
  readonly stores: ControllerStores
}

/** Pods that came within this time are looked at together, ms. */
const TOGETHER_MS = 1_000

/** Between two looks without any change, ms. */
const IDLE_MS = 60_000

/** A pod older than this is no news, ms: so a process that begins does not tell of every pod there is. */
const NEWS_MS = 600_000

/** Cases that are remembered as told. */
const MOST_TOLD = 20_000

/** Tells of decisions by the Events of pods and their owners, once per template; from the marks of new pods. */
export class EventTeller {
  readonly #parts: TellerParts
  readonly #events: LimitedEvents
  /** `workload template reason` of what was told. */
  readonly #told = new Set<string>()
  /** Reason that was last seen, by workload. */
  readonly #reasons = new Map<string, string>()

  constructor(parts: TellerParts) {
    this.#parts = parts
    this.#events = new LimitedEvents(parts)
  }

  /** Looks at new pods until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { stores, clock } = this.#parts
    let wake = new AbortController()
    const end = stores.pods.onChange(() => wake.abort())
    try {
      while (!signal.aborted) {
        await this.look(signal)
        await clock.sleep(IDLE_MS, AbortSignal.any([signal, wake.signal]))
        wake = new AbortController()
        await clock.sleep(TOGETHER_MS, signal)
      }
    } finally {
      end()
    }
  }

  /** One look at all pods. */
  async look(signal: AbortSignal): Promise<void> {
    const { stores, clock } = this.#parts
    const nowMs = clock.nowMs()
    const view = { ownerOf: ownerLookup(stores), namespaceOf: namespaceLookup(stores) }
    const fresh = stores.pods.list().filter(({ createdMs }) => nowMs - createdMs < NEWS_MS)
    for (const pod of fresh.toSorted(oldestFirst)) {
      if (signal.aborted) return
      const seen = seenDecision(pod, view)
      if (seen === undefined) continue
      const key = `${seen.workload} ${seen.template} ${seen.reason}`
      if (this.#told.has(key)) continue
      const reasonBefore = this.#reasons.get(seen.workload) ?? this.#storedReason(seen.workload)
      const messages = eventsOf(seen, { reasonBefore, nowMs })
      if (!(await this.#tellAll(messages, signal))) continue
      this.#remember(key, seen)
    }
  }

  /** Reason in the workload's object, which other processes wrote. */
  #storedReason(key: string): string | undefined {
    const objects = this.#parts.stores.workloads.list()
    return objects.find(({ namespace, workload }) => recordKey(namespace, workload) === key)?.status?.decision
      ?.reason
  }

  #remember(key: string, { workload, reason }: { readonly workload: string; readonly reason: string }): void {
    if (this.#told.size >= MOST_TOLD) this.#told.clear()
    if (this.#reasons.size >= MOST_TOLD) this.#reasons.clear()
    this.#told.add(key)
    this.#reasons.set(workload, reason)
  }

  /** false when something is to be tried again at the next look; the marks of the pod say what an Event over the limit would. */
  async #tellAll(messages: readonly EventMessage[], signal: AbortSignal): Promise<boolean> {
    const outcomes: EventOutcome[] = []
    for (const message of messages) outcomes.push(await this.#events.tell(message, signal))
    return !outcomes.includes('failed')
  }
}

function oldestFirst(a: PodRecord, b: PodRecord): number {
  return a.createdMs - b.createdMs || (a.uid < b.uid ? -1 : 1)
}
