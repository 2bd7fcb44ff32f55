import type { NamespaceSweep } from '../../core/audit/finding.ts'
import { type ReportedWorkload, toPolicyReport } from '../../core/audit/policy-report.ts'
import type { Log } from '../../ports/log.ts'
import type { ObjectStore } from '../../ports/object-store.ts'
import type { PolicyReportStore, ReportGroup } from '../../ports/policy-report-store.ts'
import type { WorkloadObject } from '../workloads/workload-object.ts'
import { runPool } from '../write-pool.ts'

/** What keeping reports needs. */
export interface ReportParts {
  readonly reports: PolicyReportStore
  readonly workloads: ObjectStore<WorkloadObject>
  readonly log: Log
}

/** What is to be reported. */
export interface Reported {
  /** Namespaces that are looked at; a report of any other is removed. */
  readonly looked: readonly string[]
  readonly sweeps: readonly NamespaceSweep[]
}

/**
 * Keeps one policy report a namespace, in the API that the cluster serves. What fails is logged and tried again by the next sweep.
 */
export class ReportKeeper {
  readonly #parts: ReportParts
  #group: ReportGroup | undefined
  /** What was written last, by namespace. */
  #written = new Map<string, string>()
  #isMissingTold = false

  constructor(parts: ReportParts) {
    this.#parts = parts
  }

  /** Writes what has changed. @throws the signal's reason when it aborts */
  async keep(reported: Reported, signal: AbortSignal): Promise<void> {
    try {
      const [group, ...others] = await this.#parts.reports.served(signal)
      if (group === undefined) return this.#tellMissing()
      for (const other of others) await this.#removeFrom(other, { keep: [] }, signal)
      if (group !== this.#group) this.#written.clear()
      this.#group = group
      const present = await this.#removeFrom(group, { keep: reported.looked }, signal)
      this.#written = new Map([...this.#written].filter(([namespace]) => present.has(namespace)))
      await this.#writeChanged(group, reported.sweeps, signal)
    } catch (err) {
      signal.throwIfAborted()
      this.#parts.log.warn({ err }, 'policy reports not kept')
    }
  }

  /** Returns the namespaces that hold a report of ours and keep it. */
  async #removeFrom(
    group: ReportGroup,
    { keep }: { readonly keep: readonly string[] },
    signal: AbortSignal
  ): Promise<ReadonlySet<string>> {
    const { reports } = this.#parts
    const wanted = new Set(keep)
    const present = await reports.namespaces(group, signal)
    for (const namespace of present)
      if (!wanted.has(namespace)) await reports.remove({ group, namespace }, signal)
    return new Set(present.filter((namespace) => wanted.has(namespace)))
  }

  async #writeChanged(
    group: ReportGroup,
    sweeps: readonly NamespaceSweep[],
    signal: AbortSignal
  ): Promise<void> {
    const { reports, log } = this.#parts
    const workloads = Map.groupBy(this.#parts.workloads.list(), ({ namespace }) => namespace)
    const changed = sweeps.flatMap((sweep) => {
      const content = toPolicyReport(sweep, (workloads.get(sweep.namespace) ?? []).map(reportedOf))
      const text = JSON.stringify(content)
      const { namespace } = sweep
      return this.#written.get(namespace) === text ? [] : [{ namespace, content, text }]
    })
    await runPool(
      changed,
      async ({ namespace, content, text }) => {
        await reports.apply({ group, namespace }, content, signal)
        this.#written.set(namespace, text)
      },
      { signal, onFault: ({ namespace }, err) => log.warn({ namespace, err }, 'policy report not written') }
    )
  }

  #tellMissing(): void {
    if (!this.#isMissingTold) this.#parts.log.info({}, 'the cluster serves no policy reports')
    this.#isMissingTold = true
  }
}

function reportedOf({ workload, apiVersion, status }: WorkloadObject): ReportedWorkload {
  const condition = status?.conditions?.find(({ type }) => type === 'Candidate')
  const candidate =
    condition === undefined || condition.status === 'Unknown'
      ? undefined
      : { fits: condition.status === 'True', reason: condition.reason, message: condition.message }
  return { workload, apiVersion, policy: status?.policy, candidate }
}
