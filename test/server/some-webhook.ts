import { toEffectivePolicy } from '../../src/core/policy/effective-policy.ts'
import { readGpuWorkload } from '../../src/core/usage/read-gpu-workload.ts'
import { ClusterState, type ClusterStores } from '../../src/gather/cluster-state.ts'
import type { GpuPod } from '../../src/gather/gpu-pod.ts'
import type {
  CutCause,
  JudgedRecord,
  ReviewFailure,
  ReviewRecord,
  ShedCause
} from '../../src/ports/metrics.ts'
import { type AppParts, createApp } from '../../src/server/app.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { someSettings, viewOf } from '../build/input.ts'
import { aMigNode } from '../build/node.ts'
import { aPod } from '../build/pod.ts'
import { aRawPolicy } from '../build/policy.ts'
import { aGpuWorkload } from '../build/usage.ts'
import { MemoryLog } from '../fakes/memory-log.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

/** A throw-away certificate for 127.0.0.1. */
export const someCertificate = await makeCertificates({
  service: 'rightslice',
  namespace: 'rightslice-system',
  ipAddresses: ['127.0.0.1'],
  nowMs: Date.now(),
  validDays: 1
})

/** Metrics that keep what they are told. */
export class MemoryMetrics {
  readonly reviews: ReviewRecord[] = []
  readonly judgements: JudgedRecord[] = []
  readonly failures: { readonly webhook: string; readonly cause: ReviewFailure }[] = []
  readonly shedReviews: { readonly webhook: string; readonly cause: ShedCause }[] = []
  readonly cuts: CutCause[] = []
  readonly contentType = 'text/plain'

  reviewed(record: ReviewRecord): void {
    this.reviews.push(record)
  }

  judged(record: JudgedRecord): void {
    this.judgements.push(record)
  }

  failed(webhook: string, cause: ReviewFailure): void {
    this.failures.push({ webhook, cause })
  }

  shed(webhook: string, cause: ShedCause): void {
    this.shedReviews.push({ webhook, cause })
  }

  connectionCut(cause: CutCause): void {
    this.cuts.push(cause)
  }

  async text(): Promise<string> {
    return `rightslice_reviews ${this.reviews.length}\n`
  }
}

/**
 * A cluster whose namespace `team-a` opted in, with one node of MIG slices, one policy, and 14 days of history of
 * Deployment `app`.
 */
export function someStores(): { readonly [K in keyof ClusterStores]: MemoryStore<StoredIn<K>> } {
  const stores = {
    nodes: new MemoryStore<StoredIn<'nodes'>>(),
    namespaces: new MemoryStore<StoredIn<'namespaces'>>(),
    policies: new MemoryStore<StoredIn<'policies'>>(),
    workloads: new MemoryStore<StoredIn<'workloads'>>(),
    replicaSets: new MemoryStore<StoredIn<'replicaSets'>>(),
    jobs: new MemoryStore<StoredIn<'jobs'>>(),
    exemptions: new MemoryStore<StoredIn<'exemptions'>>(),
    quotas: new MemoryStore<StoredIn<'quotas'>>(),
    limitRanges: new MemoryStore<StoredIn<'limitRanges'>>(),
    claimTemplates: new MemoryStore<StoredIn<'claimTemplates'>>()
  }
  const labels = { 'rightslice.dev/rightsize': 'enforce' }
  const workload = readGpuWorkload(aGpuWorkload())
  stores.nodes.set('', 'node-1', viewOf(aMigNode()))
  stores.namespaces.set('', 'team-a', { name: 'team-a', labels })
  stores.policies.set('', 'standard', toEffectivePolicy(aRawPolicy()))
  if (workload !== undefined) stores.workloads.set('team-a', workload.name, workload)
  return stores
}

type StoredIn<K extends keyof ClusterStores> = ReturnType<ClusterStores[K]['list']>[number]

/** A webhook over `someStores`, with all that it tells; by default it does not know what pods take. */
export function someWebhook(changes: Partial<AppParts> = {}, pods?: MemoryStore<GpuPod>) {
  const stores = someStores()
  const log = new MemoryLog()
  const metrics = new MemoryMetrics()
  const state = new ClusterState(stores, (task) => task(), pods)
  const app = createApp({
    certificate: someCertificate,
    isDraining: () => false,
    state,
    settings: someSettings,
    log,
    metrics,
    ...changes
  })
  return { app, stores, log, metrics, state }
}

/** A pod of Deployment `app` that asks for one whole GPU. */
export function aDeploymentPod(labels: Readonly<Record<string, string>> = {}) {
  return aPod({
    generateName: 'app-5d9c7-',
    labels: { app: 'app', 'pod-template-hash': '5d9c7', ...labels },
    annotations: { team: 'a' },
    owner: { kind: 'ReplicaSet', name: 'app-5d9c7', apiVersion: 'apps/v1' }
  })
}

/** The request of a review; by default the creation of `aDeploymentPod` in `team-a`. */
export function aRequest(changes: Readonly<Record<string, unknown>> = {}) {
  return {
    uid: 'uid-1',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    namespace: 'team-a',
    operation: 'CREATE',
    userInfo: { username: 'tenant' },
    object: aDeploymentPod(),
    oldObject: null,
    dryRun: false,
    options: null,
    ...changes
  }
}

/** A review as the API server sends it. */
export function aReview(changes: Readonly<Record<string, unknown>> = {}) {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: aRequest(changes) }
}
