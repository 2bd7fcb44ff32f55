import { ruleTable } from '../../core/backstop/rule-table.ts'
import { USUAL_EXEMPTION_SECONDS } from '../../core/policy/exemption.ts'
import { policiesOf } from '../../core/policy/select-policy.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ControllerMetrics } from '../../ports/controller-metrics.ts'
import type { EventMessage, EventSink } from '../../ports/event-sink.ts'
import type { Log } from '../../ports/log.ts'
import type { ObjectWriter } from '../../ports/object-writer.ts'
import type { RulesWriter } from '../../ports/rules-writer.ts'
import { type ControllerStores, namespaceLookup } from '../controller-stores.ts'
import {
  desireExemptionStatus,
  type ExemptionScope,
  endingEvent,
  isExemptionStatusChanged
} from '../exemptions/desire-exemption.ts'
import type { ExemptionObject } from '../exemptions/exemption-object.ts'
import { runPool } from '../write-pool.ts'

/** What keeping needs. */
export interface KeeperParts {
  readonly stores: Pick<ControllerStores, 'namespaces' | 'policies' | 'exemptions'>
  readonly rules: RulesWriter
  readonly writer: Pick<ObjectWriter, 'applyStatus'>
  readonly sink: EventSink
  readonly systemNamespaces: readonly string[]
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<ControllerMetrics, 'event'>
}

/** Changes that came within this time are taken up together, ms. */
const TOGETHER_MS = 1_000

/** Between two rounds without any change, ms: an exemption must not outlive its end by a minute. */
const ROUND_MS = 20_000

/** Ends that are remembered as told. */
const MOST_TOLD = 20_000

/**
 * Keeps the table of the admission policies and the statuses of exemptions as they should be. Every round writes the whole table
 * again, so that it comes back within a round when somebody removes or changes it.
 */
export class IsolationKeeper {
  readonly #parts: KeeperParts
  readonly #told = new Set<string>()

  constructor(parts: KeeperParts) {
    this.#parts = parts
  }

  /** Keeps until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { stores, clock } = this.#parts
    let wake = new AbortController()
    const ends = [stores.namespaces, stores.policies, stores.exemptions].map((store) =>
      store.onChange(() => wake.abort())
    )
    try {
      while (!signal.aborted) {
        wake = new AbortController()
        await this.round(signal)
        await clock.sleep(ROUND_MS, AbortSignal.any([signal, wake.signal]))
        if (wake.signal.aborted) await clock.sleep(TOGETHER_MS, signal)
      }
    } finally {
      for (const end of ends) end()
    }
  }

  /** One round; what fails is tried again in the next. */
  async round(signal: AbortSignal): Promise<void> {
    await this.#writeTable(signal)
    const exemptions = this.#parts.stores.exemptions.list()
    await this.#writeStatuses(exemptions, signal)
    for (const exemption of exemptions) await this.#tellEnd(exemption, signal)
  }

  async #writeTable(signal: AbortSignal): Promise<void> {
    const { stores, rules, systemNamespaces, clock, log } = this.#parts
    const table = ruleTable({
      namespaces: stores.namespaces.list(),
      policies: stores.policies.list().map(({ read }) => read),
      exemptions: stores.exemptions.list(),
      systemNamespaces,
      nowMs: clock.nowMs()
    })
    try {
      await rules.write(table, signal)
    } catch (err) {
      if (!signal.aborted) log.error({ err }, 'rule table not written')
    }
  }

  async #writeStatuses(exemptions: readonly ExemptionObject[], signal: AbortSignal): Promise<void> {
    const { writer, log } = this.#parts
    const changed = exemptions.flatMap((exemption) => {
      const status = desireExemptionStatus(exemption, this.#scopeOf(exemption))
      return isExemptionStatusChanged(exemption.status, status) ? [{ exemption, status }] : []
    })
    const nameOf = ({ namespace, name }: ExemptionObject): string => `${namespace}/${name}`
    await runPool(
      changed,
      async ({ exemption: { namespace, name }, status }) => {
        await writer.applyStatus({ kind: 'GpuExemption', namespace, name }, status, signal)
      },
      {
        signal,
        onFault: ({ exemption }, err) =>
          log.warn({ exemption: nameOf(exemption), err }, 'exemption status not written')
      }
    )
  }

  async #tellEnd(exemption: ExemptionObject, signal: AbortSignal): Promise<void> {
    const event = endingEvent(exemption, this.#scopeOf(exemption))
    if (event === undefined || signal.aborted) return
    const key = `${exemption.uid} ${event.key}`
    if (this.#told.has(key)) return
    if (this.#told.size >= MOST_TOLD) this.#told.clear()
    if (await this.#tell(event, signal)) this.#told.add(key)
  }

  /** false when it is to be tried again. */
  async #tell(event: EventMessage, signal: AbortSignal): Promise<boolean> {
    const { sink, log, metrics } = this.#parts
    const { namespace, name } = event.subject
    try {
      metrics.event((await sink.tell(event, signal)) ? 'told' : 'known')
      return true
    } catch (err) {
      metrics.event('failed')
      if (!signal.aborted) log.warn({ exemption: `${namespace}/${name}`, err }, 'event not written')
      return false
    }
  }

  #scopeOf({ namespace }: ExemptionObject): ExemptionScope {
    const { stores, clock } = this.#parts
    const policies = stores.policies.list().map(({ read }) => read)
    const [policy] = policiesOf(policies, namespaceLookup(stores)(namespace))
    return { nowMs: clock.nowMs(), maxSeconds: policy?.maxExemptionSeconds ?? USUAL_EXEMPTION_SECONDS }
  }
}
