import { policyDefaults } from '../../core/api/policy-defaults.ts'
import { claimedOriginals } from '../../core/decision/own-output.ts'
import { topOwner, workloadOf } from '../../core/pod/workload.ts'
import { parseDuration, printDuration } from '../../core/policy/duration.ts'
import { printUtc } from '../../core/policy/utc-time.ts'
import type { ResourceQuota } from '../../core/quota/resource-quota.ts'
import { indexNodes } from '../../core/sharing/node-index.ts'
import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import { ownerLookup } from '../../gather/owner-mark.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ControllerMetrics, RescueOutcome } from '../../ports/controller-metrics.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { Log } from '../../ports/log.ts'
import type { ObjectStore } from '../../ports/object-store.ts'
import type { ObjectWriter } from '../../ports/object-writer.ts'
import type { PodEvictor } from '../../ports/pod-evictor.ts'
import { type ControllerStores, namespaceLookup } from '../controller-stores.ts'
import { ownerSubject, podSubject } from '../events/event-subjects.ts'
import { OnceTeller } from '../events/tell-once.ts'
import { type GoverningScope, governingPolicyOf } from '../policies/governing-policy.ts'
import { repeatLooks } from '../rounds.ts'
import { timeOf } from '../workloads/iso-time.ts'
import type { WorkloadObject } from '../workloads/workload-object.ts'
import { activeSinceMs, nextFallback } from './fallback-status.ts'
import { isOverdue, type WaitingPod, waitingPod } from './stuck-pod.ts'
import { WholeGpus } from './whole-gpus.ts'

/** What a rescue looks at. */
export interface RescueStores extends ControllerStores {
  readonly quotas: ObjectStore<ResourceQuota>
}

/** What rescuing needs. */
export interface RescueParts {
  readonly stores: RescueStores
  readonly writer: Pick<ObjectWriter, 'applyStatus'>
  readonly evictor: PodEvictor
  readonly sink: EventSink
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<ControllerMetrics, 'event' | 'rescued'>
}

/** Between two looks, ms. */
const LOOK_MS = 10_000

/** Between two looks while a rescue is under way, ms: 38 pods that wait are removed within 40 s, and not within two minutes. */
const BUSY_LOOK_MS = 3_000

/** Pods that are removed in one look at most: what became of them is seen before the next ones go, so that a wrong belief of ours costs a few. */
const MOST_AT_ONCE = 3

/** How long a pod may wait that no policy governs any more, seconds. */
const USUAL_SECONDS = parseDuration(policyDefaults.rescueAfter) ?? 0

/** A fallback that was written so long ago is known to every webhook, ms. */
const KNOWN_AFTER_MS = 5_000

/** What one look at the cluster works with. */
interface Look {
  readonly nowMs: number
  readonly objects: ReadonlyMap<string, WorkloadObject>
  readonly whole: WholeGpus
  /** Workloads that fell back in this look, whose objects say so by the next one. */
  readonly fallen: Set<string>
}

/** What keeps a rescue under way. */
const underWay: ReadonlySet<RescueOutcome> = new Set<RescueOutcome>(['announced', 'evicted'])

/**
 * Gives whole GPUs back to workloads whose pods wait for a share in vain. First the GpuWorkload says so, so that the next pod keeps its
 * whole GPU; a look later, when the webhooks know, the pods that wait are removed, a few at a time, where somebody makes them anew.
 * What is under way is in the objects alone, so another leader goes on with it.
 */
export class Rescue {
  readonly #parts: RescueParts
  readonly #once: OnceTeller

  constructor(parts: RescueParts) {
    this.#parts = parts
    this.#once = new OnceTeller(parts)
  }

  /** Looks until `signal` aborts; a look that fails is logged, and the next one begins anew. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts
    const look = async (): Promise<number> => ((await this.look(signal)) ? BUSY_LOOK_MS : LOOK_MS)
    const onFault = (err: unknown): void => log.error({ err }, 'look at waiting pods failed')
    await repeatLooks(look, { onFault, everyMs: LOOK_MS, clock, signal })
  }

  /** One look at every pod that waits. Says whether a rescue is under way, so that the next look should come soon. */
  async look(signal: AbortSignal): Promise<boolean> {
    const { stores, clock } = this.#parts
    const nowMs = clock.nowMs()
    const pods = stores.pods.list()
    const waiting = pods.flatMap((record) => waitingPod(record) ?? []).sort(longestFirst)
    if (waiting.length === 0) return false
    const index = indexNodes(stores.nodes.list())
    const governing = { policies: stores.policies.list().map(({ read }) => read), nodes: index }
    const overdue = waiting.filter((pod) =>
      isOverdue(pod, rescueAfterSeconds(pod.record, stores, governing), nowMs)
    )
    if (overdue.length === 0) return false
    const objects = new Map(
      stores.workloads.list().map((object) => [recordKey(object.namespace, object.workload), object])
    )
    const whole = new WholeGpus({ index, pods, quotas: stores.quotas.list() })
    return await this.#rescueAll(overdue, { nowMs, objects, whole, fallen: new Set() }, signal)
  }

  async #rescueAll(overdue: readonly WaitingPod[], scope: Look, signal: AbortSignal): Promise<boolean> {
    let removed = 0
    let isBusy = false
    for (const pod of overdue) {
      if (signal.aborted || removed >= MOST_AT_ONCE) break
      const outcome = await this.#rescue(pod, scope, signal).catch((err: unknown): RescueOutcome => {
        const { namespace, name } = pod.record
        if (!signal.aborted) this.#parts.log.warn({ pod: `${namespace}/${name}`, err }, 'pod not rescued')
        return 'failed'
      })
      this.#parts.metrics.rescued(outcome)
      if (outcome === 'evicted') removed += 1
      isBusy ||= underWay.has(outcome)
    }
    return isBusy
  }

  async #rescue(pod: WaitingPod, scope: Look, signal: AbortSignal): Promise<RescueOutcome> {
    const { record, share } = pod
    if (pod.isPinned) return 'pinned'
    const key = recordKey(record.namespace, workloadOf(record.view, ownerLookup(this.#parts.stores)))
    const object = scope.objects.get(key)
    if (object === undefined) return 'unknown'
    const sinceMs = activeSinceMs(object.status?.fallback, scope.nowMs)
    if (sinceMs === undefined) {
      if (scope.fallen.has(key)) return 'announced'
      if (!scope.whole.take(record)) return 'no-whole-gpu'
      scope.fallen.add(key)
      return this.#giveUp(pod, object, { ...scope, share }, signal)
    }
    if (scope.nowMs - sinceMs < KNOWN_AFTER_MS) return 'announced'
    return scope.whole.take(record) ? this.#remove(pod, object, signal) : 'no-whole-gpu'
  }

  /** The workload keeps whole GPUs from now on. */
  async #giveUp(
    pod: WaitingPod,
    object: WorkloadObject,
    { nowMs, share }: { readonly nowMs: number; readonly share: string },
    signal: AbortSignal
  ): Promise<RescueOutcome> {
    const { namespace, name } = object
    const fallback = nextFallback(object.status?.fallback, { share, nowMs })
    await this.#parts.writer.applyStatus({ kind: 'GpuWorkload', namespace, name }, { fallback }, signal)
    this.#parts.log.info(
      { workload: `${namespace}/${name}`, share, until: fallback.until, times: fallback.times },
      'workload falls back to whole GPUs'
    )
    await this.#tell(pod, timeOf(fallback.until) ?? nowMs, signal)
    return 'announced'
  }

  async #remove(pod: WaitingPod, object: WorkloadObject, signal: AbortSignal): Promise<RescueOutcome> {
    const { record } = pod
    await this.#tell(pod, timeOf(object.status?.fallback?.until) ?? 0, signal)
    if (!(await this.#isMadeAnew(record, signal))) return 'not-made-anew'
    const outcome = await this.#parts.evictor.evict(record, signal)
    const { namespace, name } = record
    this.#parts.log.info({ pod: `${namespace}/${name}`, share: pod.share, outcome }, 'waiting pod removed')
    return outcome
  }

  /** A bare pod would be gone for good, and a Job without tries left would fail. */
  async #isMadeAnew({ view, namespace }: PodRecord, signal: AbortSignal): Promise<boolean> {
    if (view.owner === undefined || view.owner.kind === 'Node') return false
    if (view.owner.kind !== 'Job') return true
    return (await this.#parts.evictor.jobTriesLeft(namespace, view.owner.name, signal)) > 0
  }

  async #tell({ record, share, sinceMs }: WaitingPod, untilMs: number, signal: AbortSignal): Promise<void> {
    const { clock, stores } = this.#parts
    const nowMs = clock.nowMs()
    const waited = printDuration(Math.round((nowMs - sinceMs) / 1000))
    const bare = record.view.owner === undefined
    const way = bare
      ? 'nobody makes this pod anew, so create it again to get a whole GPU'
      : 'it is made anew with a whole GPU'
    const message = `waited ${waited} for ${share}: whole GPUs until ${printUtc(untilMs)}; ${way}`
    const owner = ownerSubject(record.namespace, topOwner(record.view, ownerLookup(stores)))
    const event = { reason: 'FellBackToWholeGpu', message, key: `${share} ${untilMs}`, atMs: nowMs } as const
    for (const subject of [podSubject(record), ...(owner === undefined ? [] : [owner])])
      await this.#once.tell(
        { key: `${subject.kind} ${subject.uid} ${untilMs}`, messages: [{ ...event, subject }] },
        signal
      )
  }
}

/**
 * As the policy says that governs the pod as it was before us, since nodes with its share may be gone; as usual where that policy is gone.
 */
function rescueAfterSeconds(record: PodRecord, stores: ControllerStores, scope: GoverningScope): number {
  const namespace = namespaceLookup(stores)(record.namespace)
  for (const view of claimedOriginals(record.view)) {
    const policy = governingPolicyOf({ ...record, view }, namespace, scope)
    if (policy !== undefined) return policy.rescueAfterSeconds
  }
  return USUAL_SECONDS
}

function longestFirst(a: WaitingPod, b: WaitingPod): number {
  return a.sinceMs - b.sinceMs || (a.record.uid < b.record.uid ? -1 : 1)
}
