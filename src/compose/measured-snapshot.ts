import type { ControllerStores } from '../controllers/controller-stores.ts'
import { readExemptionObject } from '../controllers/exemptions/exemption-object.ts'
import { readPolicyObject } from '../controllers/policies/policy-object.ts'
import { Refresh } from '../controllers/refresh.ts'
import { readWorkloadObject } from '../controllers/workloads/workload-object.ts'
import { API_GROUP, API_VERSION } from '../core/api/names.ts'
import type { DecisionSettings } from '../core/decision/decision.ts'
import { fieldAt, isRecord, type JsonRecord } from '../core/json.ts'
import { type PodRecord, readPodRecord } from '../gather/pod-record.ts'
import { type Snapshot, storesOf } from '../gather/snapshot.ts'
import { staticStore } from '../gather/static-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { ControllerMetrics } from '../ports/controller-metrics.ts'
import type { Log } from '../ports/log.ts'
import type { ObjectName, ObjectWriter } from '../ports/object-writer.ts'
import type { UsageReading, UsageSource } from '../ports/usage-source.ts'

/** A cluster whose use is to be measured without touching it. */
export interface MeasureParts {
  readonly snapshot: Snapshot
  /** Its pods; for those of a snapshot file see `podsOfSnapshot`. */
  readonly pods: readonly PodRecord[]
  readonly source: UsageSource
  readonly settings: DecisionSettings
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** How long workloads without pods are kept, ms; none of them is a candidate. */
const FORGET_AFTER_MS = 3_600_000

/**
 * The snapshot with the GpuWorkloads that the controller would write now, and the last reading behind them. It is the controller's own
 * refresh over the snapshot, with a writer that only takes notes; nothing reaches the cluster.
 */
export async function measureSnapshot(
  parts: MeasureParts
): Promise<{ readonly snapshot: Snapshot; readonly reading: UsageReading | undefined }> {
  const { snapshot, source, settings, clock, log, signal } = parts
  const objects = new Map(snapshot.workloads.filter(isRecord).map((raw) => [keyOfRaw(raw), raw]))
  let reading: UsageReading | undefined
  const noting: UsageSource = {
    read: async (request) => {
      reading = await source.read(request)
      return reading
    },
    close: () => source.close()
  }
  const refresh = new Refresh({
    source: noting,
    stores: controllerStores(parts),
    writer: notingWriter(objects),
    settings,
    refreshMs: 0,
    forgetAfterMs: FORGET_AFTER_MS,
    clock,
    random: () => 0,
    log,
    metrics: noMetrics
  })
  let known = -1
  let deferred = 1
  while (deferred > 0 && objects.size > known) {
    known = objects.size
    deferred = (await refresh.once(signal)).deferred // one round writes a bounded number
  }
  return { snapshot: { ...snapshot, workloads: [...objects.values()] }, reading }
}

/**
 * Pods of a snapshot file. An old file does not say when pods started, so there each counts as there all along, which hides no
 * sharer.
 */
export function podsOfSnapshot({ pods }: Snapshot): readonly PodRecord[] {
  return pods
    .flatMap((raw) => readPodRecord(raw) ?? [])
    .map((pod) => (pod.node === '' || pod.createdMs > 0 ? pod : { ...pod, startedMs: pod.startedMs ?? 0 }))
}

function controllerStores({ snapshot, pods }: MeasureParts): ControllerStores {
  const { nodes, namespaces, replicaSets, jobs } = storesOf(snapshot)
  const policies = snapshot.policies.flatMap((raw) => readPolicyObject(raw) ?? [])
  const workloads = snapshot.workloads.flatMap((raw) => readWorkloadObject(raw) ?? [])
  return {
    nodes,
    namespaces,
    replicaSets,
    jobs,
    exemptions: staticStore(
      snapshot.exemptions.flatMap((raw) => readExemptionObject(raw) ?? []),
      (exemption) => exemption
    ),
    policies: staticStore(policies, ({ name }) => ({ namespace: '', name })),
    workloads: staticStore(workloads, (object) => object),
    pods: staticStore(pods, (pod) => pod)
  }
}

/** Keeps what would be written of GpuWorkloads in `objects`; the rest is nobody's concern here. */
function notingWriter(objects: Map<string, JsonRecord>): ObjectWriter {
  const put = (object: ObjectName, part: JsonRecord): void => {
    const { kind, namespace, name } = object
    if (kind !== 'GpuWorkload') return
    const fresh = { apiVersion: `${API_GROUP}/${API_VERSION}`, kind, metadata: { namespace, name } }
    objects.set(keyOf(object), { ...(objects.get(keyOf(object)) ?? fresh), ...part })
  }
  return {
    applySpec: (object, spec) => Promise.resolve(put(object, { spec })),
    applyStatus: (object, status) => {
      put(object, { status })
      return Promise.resolve(true)
    },
    remove: (object) => {
      objects.delete(keyOf(object))
      return Promise.resolve()
    }
  }
}

function keyOf({ namespace, name }: Pick<ObjectName, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

function keyOfRaw(raw: JsonRecord): string {
  return `${String(fieldAt(raw, 'metadata', 'namespace'))}/${String(fieldAt(raw, 'metadata', 'name'))}`
}

const nothing = (): void => undefined

const noMetrics: ControllerMetrics = {
  refreshed: nothing,
  rescued: nothing,
  written: nothing,
  workloads: nothing,
  sourceFaults: nothing,
  discarded: nothing,
  newestSample: nothing,
  candidates: nothing,
  freeable: nothing,
  leads: nothing,
  event: nothing,
  swept: nothing,
  violations: nothing
}
