import type { DecisionSettings } from '../../core/decision/decision.ts'
import { indexNodes } from '../../core/sharing/node-index.ts'
import { ownerLookup } from '../../gather/owner-mark.ts'
import { type SweepResult, sweepCluster } from '../../gather/sweep/sweep-cluster.ts'
import { type SweepScope, sweptNamespaces } from '../../gather/sweep/sweep-scope.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ControllerMetrics, SweepOutcome } from '../../ports/controller-metrics.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { Log } from '../../ports/log.ts'
import type { PageReader } from '../../ports/page-reader.ts'
import type { PolicyReportStore } from '../../ports/policy-report-store.ts'
import { type ControllerStores, namespaceLookup } from '../controller-stores.ts'
import type { IsolationState } from '../workloads/isolation-condition.ts'
import { ReportKeeper } from './report-keeper.ts'
import { SweepMemory } from './sweep-memory.ts'
import { ViolationTeller } from './violation-teller.ts'

/** What sweeping needs. */
export interface SweepParts {
  readonly reader: PageReader
  readonly stores: ControllerStores
  readonly sink: EventSink
  /** Where policy reports go; absent where none are wanted. */
  readonly reports?: PolicyReportStore
  readonly settings: DecisionSettings
  /** Mean time between two beginnings of a sweep, ms; a tenth more or less by chance. */
  readonly sweepMs: number
  readonly clock: Clock
  /** 0 to 1, spreads the sweeps of clusters that were installed together. */
  readonly random: () => number
  readonly log: Log
  readonly metrics: Pick<ControllerMetrics, 'event' | 'swept' | 'violations'>
}

/**
 * Judges the pods that run in opted-in namespaces again and again, whoever let them in, and tells what is wrong by Events, metrics
 * and the conditions of GpuWorkloads. It deletes and changes no pod. A pod is read, judged and forgotten; kept are findings alone.
 */
export class Sweep {
  readonly #parts: SweepParts
  readonly #memory = new SweepMemory()
  readonly #teller: ViolationTeller
  readonly #reports: ReportKeeper | undefined

  constructor(parts: SweepParts) {
    this.#parts = parts
    this.#teller = new ViolationTeller(parts)
    const { reports, log, stores } = parts
    this.#reports = reports && new ReportKeeper({ reports, log, workloads: stores.workloads })
  }

  /** Sweeps until `signal` aborts. A sweep that fails is logged and counted, and the next one begins anew. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, sweepMs, log, metrics } = this.#parts
    while (!signal.aborted) {
      const startedMs = clock.nowMs()
      try {
        await this.once(signal)
      } catch (err) {
        if (signal.aborted) break
        log.error({ err }, 'sweep failed')
        metrics.swept('error', (clock.nowMs() - startedMs) / 1000)
      }
      const periodMs = sweepMs * (0.9 + 0.2 * random())
      await clock.sleep(Math.max(1000, startedMs + periodMs - clock.nowMs()), signal)
    }
    this.#memory.forget() // the next leader says what is so
    metrics.violations(undefined)
  }

  /** One sweep. @throws the signal's reason when it aborts while pods are read */
  async once(signal: AbortSignal): Promise<SweepOutcome> {
    const { reader, clock, metrics } = this.#parts
    const startedMs = clock.nowMs()
    const scope = this.#scope()
    const result = await sweepCluster(reader, scope, signal)
    this.#memory.update(scope.namespaces, result)
    metrics.violations(this.#memory.totals())
    await this.#teller.tell(
      result.namespaces.flatMap(({ findings }) => findings),
      signal
    )
    const looked = scope.namespaces.map(({ name }) => name)
    await this.#reports?.keep({ looked, sweeps: this.#memory.namespaces() }, signal)
    return this.#tellEnd(result, (clock.nowMs() - startedMs) / 1000)
  }

  /** What is known of the isolation of a workload's pods. */
  isolationOf(namespace: string, key: string): IsolationState {
    return this.#memory.isolationOf(namespaceLookup(this.#parts.stores)(namespace), key)
  }

  #scope(): SweepScope {
    const { stores, settings, clock } = this.#parts
    const policies = stores.policies.list().map(({ name, read, sinceMs }) => ({ name, read, sinceMs }))
    return {
      namespaces: sweptNamespaces(stores.namespaces.list(), settings),
      policies: policies.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      nodes: indexNodes(stores.nodes.list()),
      settings,
      ownerOf: ownerLookup(stores),
      exemptions: stores.exemptions.list(),
      nowMs: clock.nowMs()
    }
  }

  #tellEnd({ namespaces, faults }: SweepResult, seconds: number): SweepOutcome {
    const { log, metrics } = this.#parts
    const outcome = faults.length === 0 ? 'complete' : 'partial'
    const sum = (pods: readonly number[]): number => pods.reduce((total, count) => total + count, 0)
    const fields = {
      outcome,
      namespaces: namespaces.length,
      pods: sum(namespaces.map(({ podCount }) => podCount)),
      violatingPods: sum(namespaces.map(({ violatingPods }) => violatingPods)),
      unreviewedPods: sum(namespaces.map(({ unreviewedPods }) => unreviewedPods)),
      podsLeftOut: sum(namespaces.map(({ podsLeftOut }) => podsLeftOut)),
      seconds
    }
    if (outcome === 'complete') log.info(fields, 'swept')
    else log.warn({ ...fields, notRead: faults.map(told).slice(0, MOST_FAULTS) }, 'swept')
    metrics.swept(outcome, seconds)
    return outcome
  }
}

/** Faults that one line of the log tells of. */
const MOST_FAULTS = 5

function told({ what, namespace, error }: SweepResult['faults'][number]): string {
  return `${what}${namespace === undefined ? '' : ` of ${namespace}`}: ${error.message}`
}
