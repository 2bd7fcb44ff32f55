import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecisionSettings } from '../core/decision/decision.ts'
import type { PolicyRead } from '../core/policy/effective-policy.ts'
import { isSystemNamespace } from '../core/policy/enforcement.ts'
import { lookbackDaysOf } from '../core/policy/lookback.ts'
import { indexNodes } from '../core/sharing/node-index.ts'
import { type Attribution, attribute } from '../core/usage/attribution/attribute.ts'
import { ownerLookup, ownerMarkIn } from '../gather/owner-mark.ts'
import type { PodRecord } from '../gather/pod-record.ts'
import type { Clock } from '../ports/clock.ts'
import type { ControllerMetrics } from '../ports/controller-metrics.ts'
import type { KeptMaxima } from '../ports/kept-maxima.ts'
import type { Log } from '../ports/log.ts'
import type { ObjectWriter } from '../ports/object-writer.ts'
import type { PageReader } from '../ports/page-reader.ts'
import type { UsageReading, UsageSource } from '../ports/usage-source.ts'
import { type ControllerStores, shareNamespaceLookup } from './controller-stores.ts'
import { desirePolicyStatus, isPolicyStatusChanged } from './policies/desire-policy.ts'
import { freeableCounter } from './policies/freeable-gpus.ts'
import { longTrouble, nextHealth, type SourceHealth } from './policies/source-health.ts'
import { type RefreshReport, tellMetrics } from './refresh-report.ts'
import { catchUp } from './workloads/catch-up.ts'
import type { DesireScope } from './workloads/desire-workload.ts'
import { FleetLearning } from './workloads/fleet-learning.ts'
import { readKeptPods } from './workloads/kept-pods.ts'
import { knownNodeOf } from './workloads/known-node.ts'
import { PodMemory } from './workloads/pod-memory.ts'
import { saveKept } from './workloads/save-kept.ts'
import { maximaByPod, restoreMaxima } from './workloads/scraped-maxima.ts'
import { gatherSubjects, type Subject } from './workloads/subject.ts'
import { WorkloadWriter } from './workloads/workload-writer.ts'
import { runPool } from './write-pool.ts'

/** What refreshing needs. */
export interface RefreshParts {
  readonly source: UsageSource
  readonly stores: ControllerStores
  readonly writer: ObjectWriter
  /** Reads the objects anew when the refreshes begin; absent where no other process has written them before. */
  readonly reader?: PageReader
  /** What the source gathers itself, to be kept in the objects; absent where others keep it. */
  readonly kept?: KeptMaxima
  /** What the sweep knows of the isolation of workloads; absent where none is made. */
  readonly isolationOf?: DesireScope['isolationOf']
  readonly settings: DecisionSettings
  /** Mean time between two beginnings of a refresh, ms; a tenth more or less by chance. */
  readonly refreshMs: number
  /** How long a workload without pods and samples is remembered, ms. */
  readonly forgetAfterMs: number
  readonly clock: Clock
  /** 0 to 1, spreads the refreshes of several clusters that share one source. */
  readonly random: () => number
  readonly log: Log
  readonly metrics: ControllerMetrics
}

/** What statuses of policies are made from besides the cluster. */
interface PolicyFacts {
  readonly candidates: ReadonlyMap<string, number>
  readonly scope: DesireScope
  readonly health: SourceHealth
}

/**
 * Keeps GpuWorkload objects and the statuses of policies in line with what the source says. All that has to survive a restart is in the
 * objects themselves; the work of one refresh is bounded, and what is left over is done in the next.
 */
export class Refresh {
  readonly #parts: RefreshParts
  readonly #memory = new PodMemory()
  readonly #learning = new FleetLearning()
  readonly #workloads: WorkloadWriter
  #health: SourceHealth | undefined

  constructor(parts: RefreshParts) {
    this.#parts = parts
    this.#workloads = new WorkloadWriter(parts)
  }

  /** Refreshes until `signal` aborts. A refresh that fails is logged and counted, and the next one begins anew. */
  async run(signal: AbortSignal): Promise<void> {
    const { stores } = this.#parts
    await this.#catchUp(signal)
    this.#restore()
    const noteEnds = (records: readonly PodRecord[]): void =>
      this.#memory.noteEnds(records, ownerLookup(stores))
    noteEnds(stores.pods.list())
    const end = stores.pods.onChange((changes) => noteEnds(changes.flatMap(({ after }) => after ?? [])))
    try {
      await this.#repeat(signal)
    } finally {
      end()
    }
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    const { clock, random, refreshMs, log, metrics } = this.#parts
    while (!signal.aborted) {
      const startedMs = clock.nowMs()
      try {
        await this.once(signal)
      } catch (err) {
        if (signal.aborted) return
        log.error({ err }, 'refresh failed')
        metrics.refreshed('error', (clock.nowMs() - startedMs) / 1000)
      }
      const periodMs = refreshMs * (0.9 + 0.2 * random())
      await clock.sleep(Math.max(1000, startedMs + periodMs - clock.nowMs()), signal)
    }
  }

  /** What cannot be read anew, or not in time, is taken as the mirror has it. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const { reader, stores, clock, log } = this.#parts
    if (reader === undefined) return
    try {
      const behind = await catchUp({ reader, workloads: stores.workloads, clock }, signal)
      if (behind > 0) log.warn({ behind }, 'mirror of workloads is behind')
    } catch (err) {
      if (!signal.aborted) log.warn({ err }, 'workloads not read anew')
    }
  }

  /** What an earlier process kept in the objects; a part that cannot be read is told, and lost. */
  #restore(): void {
    const { kept, stores, log } = this.#parts
    const objects = stores.workloads.list()
    const series = restoreMaxima(kept, objects)
    const { pods, unread } = readKeptPods(objects)
    this.#memory.restore(pods)
    if (series + unread > 0) log.warn({ series, pods: unread }, 'part of what was kept could not be read')
  }

  /** Saves what the next process cannot read anywhere else, as far as it goes until `signal` aborts. */
  async save(signal: AbortSignal): Promise<void> {
    const { kept, stores, writer, clock, log } = this.#parts
    this.#memory.update(stores.pods.list(), ownerLookup(stores), clock.nowMs())
    const namesOf = (key: string): readonly string[] | undefined => this.#workloads.keptNamesOf(key)
    const scope = { maxima: maximaByPod(kept), podsOf: podsIn(this.#memory), namesOf, writer, log }
    const report = await saveKept(stores.workloads.list(), scope, signal)
    if (report.lost > 0) log.warn({ ...report }, 'not everything was saved')
    else log.info({ ...report }, 'saved for the next process')
  }

  /** One refresh. @throws the signal's reason when it aborts while the source is read */
  async once(signal: AbortSignal): Promise<RefreshReport> {
    const { source, stores, clock, metrics, log } = this.#parts
    const nowMs = clock.nowMs()
    const policies = sortedReads(stores.policies.list())
    const reading = await source.read({ nowMs, lookbackDays: lookbackDaysOf(policies), signal })
    signal.throwIfAborted()
    this.#health = nextHealth(this.#health, reading)
    const { subjects, attribution } = this.#attribute(reading)
    const isComplete = reading.status === 'complete'
    if (isComplete || reading.missingNodes !== undefined) {
      await this.#learning.update(subjects, { nowMs, isComplete }, breathe)
    }
    const scope = this.#scopeOf(reading, policies, this.#health)
    const written = await this.#workloads.write(subjects, scope, signal)
    const failedPolicies = await this.#writePolicies({ ...written, scope, health: this.#health }, signal)
    const seconds = (clock.nowMs() - nowMs) / 1000
    const { created, updated, removed, deferred } = written
    const failed = written.failed + failedPolicies
    const report = {
      status: reading.status,
      workloads: subjects.length,
      created,
      updated,
      removed,
      failed,
      deferred
    }
    tellMetrics(metrics, { report, reading, attribution, candidates: written.candidates, seconds })
    const { queries, bytes } = reading.cost
    log.info({ ...report, seconds, queries, bytes, faults: reading.faults }, 'refreshed')
    return report
  }

  #attribute(reading: UsageReading): {
    readonly subjects: readonly Subject[]
    readonly attribution: Attribution
  } {
    const { stores, settings } = this.#parts
    const ownerOf = ownerLookup(stores)
    const pods = stores.pods.list()
    const objects = stores.workloads.list()
    const attribution = attribute({
      series: reading.series,
      pods: this.#memory.update(pods, ownerOf, reading.nowMs),
      ownersOf: objects,
      nodes: stores.nodes.list().map(knownNodeOf),
      nowMs: reading.nowMs
    })
    const subjects = gatherSubjects({ pods, ownerOf, attribution, objects })
    const own = subjects.filter(({ namespace }) => !isSystemNamespace(namespace, settings.systemNamespaces))
    return { subjects: own, attribution }
  }

  #scopeOf(reading: UsageReading, policies: readonly PolicyRead[], health: SourceHealth): DesireScope {
    const { stores, settings } = this.#parts
    const exemptions = Map.groupBy(stores.exemptions.list(), ({ namespace }) => namespace)
    return {
      nowMs: reading.nowMs,
      isComplete: reading.status === 'complete',
      missingNodes: reading.missingNodes === undefined ? undefined : new Set(reading.missingNodes),
      missingNamespaces: new Set(reading.missingNamespaces),
      policies,
      namespaceOf: shareNamespaceLookup(stores),
      exemptionsOf: (namespace) => exemptions.get(namespace) ?? [],
      ownerMarkOf: (namespace, owner) => ownerMarkIn(stores, namespace, owner),
      nodes: indexNodes(stores.nodes.list()),
      nodeOf: (name) => stores.nodes.get('', name),
      settings,
      learntFor: this.#learning.for,
      trouble: longTrouble(health),
      maxima: maximaByPod(this.#parts.kept),
      isolationOf: this.#parts.isolationOf ?? (() => ({ kind: 'unknown' })),
      podsOf: podsIn(this.#memory)
    }
  }

  /** Returns how many could not be written. */
  async #writePolicies({ candidates, scope, health }: PolicyFacts, signal: AbortSignal): Promise<number> {
    const { stores, writer, log, clock, metrics } = this.#parts
    const nodes = stores.nodes.list()
    const freeableGpus = freeableCounter({
      ...scope,
      ownerOf: ownerLookup(stores),
      pods: stores.pods.list(),
      allNodes: nodes,
      objects: stores.workloads.list()
    })
    const facts = { nowMs: clock.nowMs(), nodes, freeableGpus, health }
    const desired = stores.policies.list().map((object) => {
      const own = candidates.get(object.name) ?? 0
      return { object, status: desirePolicyStatus(object, { ...facts, candidates: own }) }
    })
    metrics.freeable(
      new Map(desired.map(({ object, status }) => [object.name, Number(status['freeableGpus'])]))
    )
    const changed = desired.flatMap(({ object, status }) =>
      isPolicyStatusChanged(object.status, status) ? [{ name: object.name, status }] : []
    )
    const report = await runPool(
      changed,
      async ({ name, status }) => {
        await writer.applyStatus({ kind: 'GpuPolicy', namespace: '', name }, status, signal)
      },
      {
        signal,
        onFault: ({ name }, err) => log.warn({ policy: name, err }, 'policy status not written')
      }
    )
    return report.failed
  }
}

function podsIn(memory: PodMemory): DesireScope['podsOf'] {
  const pods = memory.byWorkload()
  return (key) => pods.get(key) ?? []
}

/** Lets timers and answers of others have their turn. */
async function breathe(): Promise<void> {
  await nextTurn()
}

function sortedReads(
  objects: readonly { readonly name: string; readonly read: PolicyRead }[]
): readonly PolicyRead[] {
  return objects.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ read }) => read)
}
