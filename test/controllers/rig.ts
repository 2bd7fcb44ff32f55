import type { ExemptionObject } from '../../src/controllers/exemptions/exemption-object.ts'
import { type PolicyObject, readPolicyObject } from '../../src/controllers/policies/policy-object.ts'
import { Refresh, type RefreshParts } from '../../src/controllers/refresh.ts'
import type { RescueStores } from '../../src/controllers/rescue/rescue.ts'
import { readWorkloadObject, type WorkloadObject } from '../../src/controllers/workloads/workload-object.ts'
import { type NodeView, readNode } from '../../src/core/cluster/node-view.ts'
import { fieldAt, isRecord, type JsonRecord, listOf, stringOf } from '../../src/core/json.ts'
import type { ResourceQuota } from '../../src/core/quota/resource-quota.ts'
import type { DeviceSeries } from '../../src/core/usage/dialect-series.ts'
import type { NamespaceView, OwnerView } from '../../src/gather/cluster-state.ts'
import { type PodRecord, readPodRecord } from '../../src/gather/pod-record.ts'
import type { ControllerMetrics, KnownViolations } from '../../src/ports/controller-metrics.ts'
import type { SourceFault, UsageReading, UsageSource } from '../../src/ports/usage-source.ts'
import { aMigNode } from '../build/node.ts'
import { aPod, type PodSpec } from '../build/pod.ts'
import { aRawPolicy } from '../build/policy.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { MemoryLog } from '../fakes/memory-log.ts'
import { MemoryStore } from '../fakes/memory-store.ts'
import { MemoryWriter } from '../fakes/memory-writer.ts'

export const DAY_MS = 86_400_000

/** Noon of a day, UTC. */
export const NOON_MS = Date.parse('2026-11-20T12:00:00Z')

export const MODEL = 'NVIDIA-H100-80GB-HBM3'

/** What a test says about the memory of one pod, a value a day; the last one is today's. */
export interface SeriesSpec {
  readonly pod?: string
  readonly namespace?: string
  readonly container?: string
  readonly gpuUuid?: string
  readonly instance?: string
  readonly profile?: string
  readonly daysMiB?: readonly number[]
  readonly nowMs?: number
}

/** Memory of a whole GPU that one pod had for itself; by default 14 days of 5200 MiB. */
export function aSeries(spec: SeriesSpec = {}): DeviceSeries {
  const daysMiB = spec.daysMiB ?? Array.from({ length: 14 }, () => 5200)
  const today = Math.floor((spec.nowMs ?? NOON_MS) / DAY_MS) * DAY_MS
  const first = today - (daysMiB.length - 1) * DAY_MS
  return {
    labels: {
      namespace: spec.namespace ?? 'team-a',
      pod: spec.pod ?? 'app-6c9d7f8b5d-x2k4p',
      container: spec.container ?? 'main',
      node: 'node-1',
      gpuUuid: spec.gpuUuid ?? 'GPU-1',
      gpuIndex: '0',
      ...(spec.instance === undefined ? {} : { gpuInstanceId: spec.instance }),
      ...(spec.profile === undefined ? {} : { migProfile: spec.profile }),
      model: MODEL,
      perProcess: false
    },
    metric: 'memory',
    metricName: 'DCGM_FI_DEV_FB_USED',
    days: daysMiB.map((max, index) => ({
      dayMs: first + index * DAY_MS,
      max,
      maxAtMs: first + index * DAY_MS + 6 * 3_600_000,
      samples: 2_880,
      firstMs: first + index * DAY_MS,
      lastMs: Math.min(first + (index + 1) * DAY_MS - 30_000, spec.nowMs ?? NOON_MS)
    }))
  }
}

/** A reading; complete unless said. */
export function aReading(change: Partial<UsageReading> = {}): UsageReading {
  const nowMs = change.nowMs ?? NOON_MS
  return {
    status: 'complete',
    nowMs,
    series: [aSeries({ nowMs })],
    days: [],
    metricNames: ['DCGM_FI_DEV_FB_USED'],
    newestSampleMs: nowMs - 30_000,
    faults: [],
    discarded: {},
    cost: { queries: 1, bytes: 100, elapsedMs: 10 },
    ...change
  }
}

/** A fault of a source that does not answer. */
export const unreachable: SourceFault = { kind: 'unreachable', message: 'connection refused', count: 1 }

/** A pod of Deployment `app` as it runs in the cluster. */
export function aLivePod(
  spec: PodSpec & { readonly ageMs?: number; readonly status?: JsonRecord } = {}
): JsonRecord {
  const { ageMs = 15 * DAY_MS, status, ...pod } = spec
  const name = pod.name ?? 'app-6c9d7f8b5d-x2k4p'
  const raw = aPod({
    name,
    nodeName: 'node-1',
    labels: { 'pod-template-hash': '6c9d7f8b5d' },
    owner: { kind: 'ReplicaSet', name: 'app-6c9d7f8b5d', apiVersion: 'apps/v1', uid: 'rs-1' },
    ...pod
  })
  const bornAt = new Date(NOON_MS - ageMs).toISOString()
  return {
    ...raw,
    metadata: { ...recordOf(raw['metadata']), uid: `uid-${name}`, creationTimestamp: bornAt },
    status: { phase: 'Running', startTime: bornAt, ...status }
  }
}

/** The pod as the controller reads it. */
export function aPodRecord(spec: Parameters<typeof aLivePod>[0] = {}): PodRecord {
  const record = readPodRecord(aLivePod(spec))
  if (record === undefined) throw new Error("a test's pod is none of the controller's business")
  return record
}

/** Metrics that only keep the last of each. */
export class MemoryMetrics implements ControllerMetrics {
  readonly seen: Record<string, unknown> = {}
  readonly counts: Record<string, number> = {}

  refreshed(outcome: string): void {
    this.#count(`refreshed ${outcome}`, 1)
  }
  written(action: string, count: number): void {
    this.#count(action, count)
  }
  workloads(count: number): void {
    this.seen['workloads'] = count
  }
  sourceFaults(kinds: Readonly<Record<string, number>>): void {
    this.seen['sourceFaults'] = kinds
  }
  discarded(counts: Readonly<Record<string, number>>): void {
    this.seen['discarded'] = counts
  }
  newestSample(ms: number | undefined): void {
    this.seen['newestSample'] = ms
  }
  candidates(counts: ReadonlyMap<string, number>): void {
    this.seen['candidates'] = Object.fromEntries(counts)
  }
  freeable(gpus: ReadonlyMap<string, number>): void {
    this.seen['freeable'] = Object.fromEntries(gpus)
  }
  rescued(outcome: string): void {
    this.#count(`rescued ${outcome}`, 1)
  }
  leads(leads: boolean): void {
    this.seen['leads'] = leads
  }
  event(outcome: string): void {
    this.#count(`event ${outcome}`, 1)
  }
  swept(outcome: string): void {
    this.#count(`swept ${outcome}`, 1)
  }
  violations(now: KnownViolations | undefined): void {
    this.seen['violations'] = now
  }
  #count(what: string, more: number): void {
    this.counts[what] = (this.counts[what] ?? 0) + more
  }
}

/** A cluster in memory, in which what is written is seen again, with a source that a test sets by hand. */
export class Rig {
  readonly stores = {
    nodes: new MemoryStore<NodeView>(),
    namespaces: new MemoryStore<NamespaceView>(),
    policies: new MemoryStore<PolicyObject>(),
    workloads: new MemoryStore<WorkloadObject>(),
    pods: new MemoryStore<PodRecord>(),
    replicaSets: new MemoryStore<OwnerView>(),
    jobs: new MemoryStore<OwnerView>(),
    exemptions: new MemoryStore<ExemptionObject>(),
    quotas: new MemoryStore<ResourceQuota>()
  } satisfies RescueStores
  readonly writer = new MemoryWriter()
  readonly clock = new FakeClock(NOON_MS)
  readonly log = new MemoryLog()
  metrics = new MemoryMetrics()
  /** What the source says next; the time is filled in. */
  reading: Partial<UsageReading> = {}
  readonly source: UsageSource = {
    read: ({ nowMs }) => Promise.resolve(aReading({ nowMs, ...this.reading })),
    close: () => Promise.resolve()
  }
  #refresh: Refresh

  constructor(change: Partial<RefreshParts> = {}) {
    this.addNode(
      aMigNode({
        profiles: { '1g.10gb': { count: 4, memoryMiB: 9728 }, '3g.40gb': { count: 1, memoryMiB: 40_320 } }
      })
    )
    this.stores.namespaces.set('', 'team-a', {
      name: 'team-a',
      labels: { 'rightslice.dev/rightsize': 'enforce' }
    })
    this.writer.onChange = ({ kind, namespace, name }, now) => {
      if (kind === 'GpuPolicy') this.#storePolicy(name, now)
      else this.#storeWorkload(namespace, name, now)
    }
    this.addPolicy(aRawPolicy())
    this.#refresh = this.newProcess(change)
  }

  /** A controller that has just begun, over the same cluster. */
  newProcess(change: Partial<RefreshParts> = {}): Refresh {
    this.#refresh = new Refresh({
      source: this.source,
      stores: this.stores,
      writer: this.writer,
      settings: { systemNamespaces: ['kube-*'], schedulers: ['default-scheduler'] },
      refreshMs: 300_000,
      forgetAfterMs: 3 * DAY_MS,
      clock: this.clock,
      random: () => 0.5,
      log: this.log,
      metrics: this.metrics,
      ...change
    })
    return this.#refresh
  }

  addNode(raw: JsonRecord): void {
    const node = readNode(raw)
    if (node !== undefined) this.stores.nodes.set('', node.name, node)
  }

  addPolicy(raw: JsonRecord): void {
    this.writer.put({ kind: 'GpuPolicy', namespace: '', name: nameOf(raw) }, raw)
  }

  addPod(spec: Parameters<typeof aLivePod>[0] = {}): void {
    const record = aPodRecord(spec)
    this.stores.pods.set(record.namespace, record.name, record)
  }

  /** One refresh; gives what was written by it. */
  async refresh(): Promise<readonly string[]> {
    const before = this.writer.calls.length
    await this.#refresh.once(new AbortController().signal)
    return this.writer.calls.slice(before)
  }

  /** Ends the process as a signal does, after a last save, and starts another one, which refreshes once. */
  async restart(change: Partial<RefreshParts> = {}): Promise<void> {
    await this.save()
    await this.crash(change)
  }

  /** What a process does last. */
  async save(): Promise<void> {
    await this.#refresh.save(new AbortController().signal)
  }

  /** The process is gone without a word, and another one starts, which refreshes once. */
  async crash(change: Partial<RefreshParts> = {}): Promise<void> {
    const stopping = new AbortController()
    const running = this.newProcess(change).run(stopping.signal)
    await this.clock.untilSleep((ms) => ms > 200_000)
    stopping.abort()
    await running
  }

  /** The GpuWorkload as stored. */
  workload(name = 'deployment-app', namespace = 'team-a'): JsonRecord | undefined {
    return this.writer.read({ kind: 'GpuWorkload', namespace, name })
  }

  /** What the status of the GpuWorkload says of its first container. */
  container(name = 'deployment-app', namespace = 'team-a'): JsonRecord {
    const [first] = listOf(fieldAt(this.workload(name, namespace), 'status'), 'containers')
    return recordOf(first)
  }

  /** A condition of an object: `True EnoughHistory`. */
  condition(type: string, object: JsonRecord | undefined = this.workload()): string | undefined {
    const found = listOf(fieldAt(object, 'status'), 'conditions').find(
      (one) => stringOf(one, 'type') === type
    )
    return found === undefined ? undefined : `${stringOf(found, 'status')} ${stringOf(found, 'reason')}`
  }

  policy(name = 'standard'): JsonRecord | undefined {
    return this.writer.read({ kind: 'GpuPolicy', namespace: '', name })
  }

  #storePolicy(name: string, now: JsonRecord | undefined): void {
    const object = now === undefined ? undefined : readPolicyObject(now)
    if (object === undefined) this.stores.policies.remove('', name)
    else this.stores.policies.set('', name, object)
  }

  #storeWorkload(namespace: string, name: string, now: JsonRecord | undefined): void {
    const object = now === undefined ? undefined : readWorkloadObject(now)
    if (object === undefined) this.stores.workloads.remove(namespace, name)
    else this.stores.workloads.set(namespace, name, object)
  }
}

function nameOf(raw: JsonRecord): string {
  return stringOf(raw['metadata'], 'name') ?? ''
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}
