import { GPU_MEMORY, gpuMemoryLimitMiB, gpuRequestOf } from '../../core/pod/gpu-request.ts'
import type { ContainerView } from '../../core/pod/pod-view.ts'
import { type OwnerLookup, workloadOf } from '../../core/pod/workload.ts'
import type { KnownContainer, KnownPod } from '../../core/usage/attribution/known.ts'
import { outOfMemoryEvidence } from '../../core/usage/estimator/out-of-memory.ts'
import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import type { ContainerEnding, PodRecord } from '../../gather/pod-record.ts'

/** How long a pod that is gone is remembered, ms: as long as its samples may count. */
const REMEMBERED_MS = 28 * 86_400_000

/** Pods that are gone and remembered at most; of more, those that ended first are forgotten. Some 400 bytes each. */
const MOST_GONE = 20_000

/** Ends for want of GPU memory that are remembered of one container. */
const MOST_ENDS = 8

/**
 * The pods that are or were there. Samples of a pod that is gone can then be told apart from those of another one of its name. The
 * objects of workloads keep them over a restart, as far as `keptPodsText` has room.
 */
export class PodMemory {
  #live = new Map<string, KnownPod>()
  #gone: ReadonlyMap<string, KnownPod> = new Map()

  /** Takes up what an earlier process knew. A pod that is not there any more at the next update ended by then. */
  restore(pods: readonly KnownPod[]): void {
    const kept = new Map(pods.map((pod) => [pod.uid, pod]))
    const lived = [...kept].filter(([, { endMs }]) => endMs === undefined)
    const ended = [...kept].filter(([, { endMs }]) => endMs !== undefined)
    this.#live = new Map([...lived, ...this.#live])
    this.#gone = new Map([...ended.sort(firstEndedFirst), ...this.#gone])
  }

  /** Everything that is remembered, by workload. */
  byWorkload(): ReadonlyMap<string, readonly KnownPod[]> {
    return Map.groupBy([...this.#live.values(), ...this.#gone.values()], ({ namespace, workload }) =>
      recordKey(namespace, workload)
    )
  }

  /** Takes in ends alone, as often as pods change: a pod of a Job may be gone before the next update. */
  noteEnds(records: readonly PodRecord[], ownerOf: OwnerLookup): void {
    for (const record of records) {
      if (record.endings.length === 0 || record.exporter !== undefined) continue
      this.#live.set(record.uid, toKnownPod(record, ownerOf, this.#live.get(record.uid)))
    }
  }

  /** Takes in the pods of now; the ones that were here before and are not any more ended now. */
  update(records: readonly PodRecord[], ownerOf: OwnerLookup, nowMs: number): readonly KnownPod[] {
    const live = new Map<string, KnownPod>()
    for (const record of records) {
      if (record.exporter !== undefined) continue
      live.set(record.uid, toKnownPod(record, ownerOf, this.#live.get(record.uid)))
    }
    const ended = [...this.#live.values()]
      .filter(({ uid }) => !live.has(uid))
      .map((pod) => ({ ...pod, endMs: pod.endMs ?? nowMs }))
    const gone = [...this.#gone.values(), ...ended]
      .filter(({ uid, endMs = 0 }) => !live.has(uid) && nowMs - endMs < REMEMBERED_MS)
      .slice(-MOST_GONE)
    this.#live = live
    this.#gone = new Map(gone.map((pod) => [pod.uid, pod]))
    return [...live.values(), ...gone]
  }
}

function firstEndedFirst([, a]: readonly [string, KnownPod], [, b]: readonly [string, KnownPod]): number {
  return (a.endMs ?? 0) - (b.endMs ?? 0)
}

function toKnownPod(record: PodRecord, ownerOf: OwnerLookup, before: KnownPod | undefined): KnownPod {
  return {
    namespace: record.namespace,
    name: record.name,
    uid: record.uid,
    node: record.node,
    workload: workloadOf(record.view, ownerOf),
    containers: record.view.containers.map((container) => toKnownContainer(container, record, before)),
    startMs: record.startedMs,
    endMs: record.endedMs
  }
}

function toKnownContainer(
  container: ContainerView,
  { endings }: PodRecord,
  before: KnownPod | undefined
): KnownContainer {
  const { name, image } = container
  const known = before?.containers.find((other) => other.name === name)?.outOfMemoryMs ?? []
  const seen = endings.filter((ending) => ending.container === name).flatMap(outOfMemoryTime)
  const limitMiB = gpuMemoryLimitMiB(container)
  const times = [...new Set([...known, ...seen])].sort((a, b) => a - b).slice(-MOST_ENDS)
  return {
    name,
    image,
    gpuResource: gpuResourceOf(container),
    ...(limitMiB === undefined ? {} : { limitMiB }),
    ...(times.length === 0 ? {} : { outOfMemoryMs: times })
  }
}

/** The GPU resource that a container asks for; undefined when it asks for none, or for more than one. */
export function gpuResourceOf(container: ContainerView): string | undefined {
  const request = gpuRequestOf(container)
  switch (request.kind) {
    case 'whole':
      return 'nvidia.com/gpu'
    case 'share':
      return request.resources.length === 1 && !request.besideWhole ? request.resources[0] : undefined
    case 'foreign':
      return gpuMemoryLimitMiB(container) === undefined ? undefined : GPU_MEMORY
    case 'invalid':
    case 'none':
      return undefined
  }
}

/** Only words of the program count here; that the share was full is judged where the samples are known. */
function outOfMemoryTime({ exitCode, message, finishedMs }: ContainerEnding): readonly number[] {
  const evidence = outOfMemoryEvidence({
    exitCode,
    terminationMessage: message,
    wasRewritten: false,
    lastSampleMiB: undefined,
    shareMiB: undefined
  })
  return evidence === 'message' && finishedMs !== undefined ? [finishedMs] : []
}
