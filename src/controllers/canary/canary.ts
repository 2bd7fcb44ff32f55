import { ownAnnotations, sliceLabel } from '../../core/api/names.ts'
import { isChangedReason } from '../../core/api/reasons.ts'
import { topOwner, workloadOf } from '../../core/pod/workload.ts'
import { indexNodes } from '../../core/sharing/node-index.ts'
import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import { ownerLookup } from '../../gather/owner-mark.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { ObjectWriter } from '../../ports/object-writer.ts'
import { type ControllerStores, namespaceLookup } from '../controller-stores.ts'
import { ownerSubject, podSubject } from '../events/event-subjects.ts'
import { OnceTeller, type TellingParts } from '../events/tell-once.ts'
import { governingPolicyOf } from '../policies/governing-policy.ts'
import { repeatLooks } from '../rounds.ts'
import type { WorkloadObject } from '../workloads/workload-object.ts'
import { type CanaryStatus, desireCanary } from './desire-canary.ts'

/** What watching over trials needs. */
export interface CanaryParts extends TellingParts {
  readonly stores: ControllerStores
  readonly writer: Pick<ObjectWriter, 'applyStatus'>
}

/** Between two looks, ms. */
const LOOK_MS = 30_000

const eventReasonOf = { Passed: 'CanaryPassed', Failed: 'CanaryFailed' } as const

/** Says of each workload under a policy with a canary how the first pods with a share do; webhooks act by it. */
export class Canary {
  readonly #parts: CanaryParts
  readonly #once: OnceTeller

  constructor(parts: CanaryParts) {
    this.#parts = parts
    this.#once = new OnceTeller(parts)
  }

  /** Looks until `signal` aborts; a look that fails is logged, and the next one begins anew. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts
    const look = async (): Promise<number> => {
      await this.look(signal)
      return LOOK_MS
    }
    const onFault = (err: unknown): void => log.error({ err }, 'look at trials failed')
    await repeatLooks(look, { onFault, everyMs: LOOK_MS, clock, signal })
  }

  /** One look at every workload with pods that have shares. */
  async look(signal: AbortSignal): Promise<void> {
    const { stores } = this.#parts
    const policies = stores.policies.list().map(({ read }) => read)
    if (!policies.some((read) => read.kind === 'valid' && read.policy.canary !== undefined)) return
    const governing = { policies, nodes: indexNodes(stores.nodes.list()) }
    const ownerOf = ownerLookup(stores)
    const byWorkload = Map.groupBy(stores.pods.list(), ({ namespace, view }) =>
      recordKey(namespace, workloadOf(view, ownerOf))
    )
    for (const object of stores.workloads.list()) {
      const pods = byWorkload.get(recordKey(object.namespace, object.workload)) ?? []
      const shared = pods.filter(isShared)
      const [first] = shared
      if (signal.aborted || first === undefined) continue
      const policy = governingPolicyOf(first, namespaceLookup(stores)(object.namespace), governing)
      if (policy?.canary !== undefined) await this.#note(object, pods, policy.canary, signal)
    }
  }

  async #note(
    object: WorkloadObject,
    pods: readonly PodRecord[],
    canary: Parameters<typeof desireCanary>[0]['canary'],
    signal: AbortSignal
  ): Promise<void> {
    const { clock, writer, log } = this.#parts
    const before = object.status?.canary
    const shared = pods.filter(isShared)
    const now = desireCanary({
      canary,
      before,
      shared,
      whole: pods.filter((pod) => !isShared(pod) && pod.endedMs === undefined),
      reachedCeiling: object.status?.containers?.some(({ evidence }) => evidence === 'Censored') === true,
      nowMs: clock.nowMs()
    })
    if (now === undefined || now === before) return
    const { namespace, name } = object
    await writer.applyStatus({ kind: 'GpuWorkload', namespace, name }, { canary: now }, signal)
    log.info({ workload: `${namespace}/${name}`, share: now.share, state: now.state }, 'trial of a share')
    await this.#tell(now, shared, signal)
  }

  async #tell(now: CanaryStatus, shared: readonly PodRecord[], signal: AbortSignal): Promise<void> {
    const [pod] = shared
    if (pod === undefined || now.state === 'Trial') return
    const owner = ownerSubject(pod.namespace, topOwner(pod.view, ownerLookup(this.#parts.stores)))
    const why = now.message === undefined ? '' : `: ${now.message}`
    const message =
      now.state === 'Passed'
        ? `${now.share} was tried and stayed healthy; new pods get it`
        : `${now.share} is not given until ${now.until ?? ''}${why}`
    const event = { reason: eventReasonOf[now.state], message, atMs: this.#parts.clock.nowMs() }
    const key = `${now.state} ${now.share} ${now.since}`
    await this.#once.tell(
      {
        key: `${pod.namespace} ${owner?.uid ?? pod.uid} ${key}`,
        messages: [{ ...event, key, subject: owner ?? podSubject(pod) }]
      },
      signal
    )
  }
}

/** Whether the pod has a share from us. */
function isShared({ view }: PodRecord): boolean {
  return view.labels[sliceLabel] !== undefined && isChangedReason(view.annotations[ownAnnotations.decision])
}
