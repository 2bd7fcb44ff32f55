import { ruleTable } from '../../core/backstop/rule-table.ts'
import { USUAL_EXEMPTION_SECONDS } from '../../core/policy/exemption.ts'
import { policiesOf } from '../../core/policy/select-policy.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ControllerMetrics } from '../../ports/controller-metrics.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { Log } from '../../ports/log.ts'
import type { ObjectWriter } from '../../ports/object-writer.ts'
import type { RulesWriter } from '../../ports/rules-writer.ts'
import { type ControllerStores, namespaceLookup } from '../controller-stores.ts'
import { NamespaceLimits } from '../events/namespace-limits.ts'
import { OnceTeller } from '../events/tell-once.ts'
import {
  desireExemptionStatus,
  type ExemptionScope,
  endingEvent,
  isExemptionStatusChanged
} from '../exemptions/desire-exemption.ts'
import type { ExemptionObject } from '../exemptions/exemption-object.ts'
import { repeatOnChange } from '../rounds.ts'
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

/** Between two rounds without any change, ms: an exemption must not outlive its end by a minute. */
const ROUND_MS = 20_000

/**
 * Keeps the table of the admission policies and the statuses of exemptions as they should be. Every round writes the whole table
 * again, so that it is as it should be within a round, whatever somebody else did to it.
 */
export class IsolationKeeper {
  readonly #parts: KeeperParts
  readonly #once: OnceTeller
  readonly #limits = new NamespaceLimits()

  constructor(parts: KeeperParts) {
    this.#parts = parts
    this.#once = new OnceTeller(parts)
  }

  /** Keeps until `signal` aborts. Statuses and Events, of which anybody may cause many, never hold up the table. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat(() => this.writeTable(signal), signal),
      this.#repeat(() => this.tellExemptions(signal), signal)
    ])
  }

  #repeat(round: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { stores, clock } = this.#parts
    const watched = [stores.namespaces, stores.policies, stores.exemptions]
    return repeatOnChange(round, { watched, everyMs: ROUND_MS, clock, signal })
  }

  /** Statuses of exemptions, and Events before their ends; what fails is tried again in the next round. */
  async tellExemptions(signal: AbortSignal): Promise<void> {
    const exemptions = this.#parts.stores.exemptions.list()
    await this.#writeStatuses(exemptions, signal)
    for (const exemption of exemptions) {
      if (signal.aborted) return
      await this.#tellEnd(exemption, signal)
    }
  }

  /** The table as it should be now; what fails is tried again in the next round. */
  async writeTable(signal: AbortSignal): Promise<void> {
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
    if (event === undefined) return
    const key = `${exemption.uid} ${event.key}`
    await this.#once.tell(
      { key, messages: [event], limit: this.#limits.of(exemption.namespace), waits: true },
      signal
    )
  }

  #scopeOf({ namespace }: ExemptionObject): ExemptionScope {
    const { stores, clock } = this.#parts
    const policies = stores.policies.list().map(({ read }) => read)
    const [policy] = policiesOf(policies, namespaceLookup(stores)(namespace))
    return { nowMs: clock.nowMs(), maxSeconds: policy?.maxExemptionSeconds ?? USUAL_EXEMPTION_SECONDS }
  }
}
