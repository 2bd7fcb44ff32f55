import type { NodeView } from '../core/cluster/node-view.ts'
import type { NamespaceView, OwnerView } from '../gather/cluster-state.ts'
import { nodeReader } from '../gather/node-reader.ts'
import { readNamespace, readOwnerView } from '../gather/read-views.ts'
import { systemClock } from '../kube/clock.ts'
import type { KubeConnection } from '../kube/connection.ts'
import { Reflector } from '../kube/reflector.ts'
import type { ReflectorOptions } from '../kube/reflector-options.ts'
import type { Log } from '../ports/log.ts'

/** The mirrors of a process, one a kind, and how they start and end. */
export interface ClusterReader<Mirrors> {
  readonly stores: Mirrors
  /** Resolves once every mirror holds its first whole list, or rejects when the signal aborts. */
  readonly whenSynced: (signal: AbortSignal) => Promise<void>
  readonly stop: () => Promise<void>
}

/** What every mirror needs. */
export interface MirrorMeans {
  readonly connection: KubeConnection
  readonly log: Log
  /** Mean time between two checks of a store against a fresh list, ms; default half an hour. */
  readonly checkMs?: number
}

/**
 * Page size of kinds that are long, nodes and pods: 5,000 nodes listed in pages of 100 keep the event loop free (delay p99
 * 10 ms, with 500 up to 32 ms).
 */
export const LONG_PAGE_SIZE = 100

/** One collection of the API, mirrored as `project` makes each object. */
export function mirror<T>(
  means: MirrorMeans,
  options: Omit<ReflectorOptions<T>, keyof MirrorMeans | 'clock' | 'random'>
): Reflector<T> {
  return new Reflector({ ...means, clock: systemClock, random: Math.random, ...options })
}

/** Mirrors by the name of their store. */
export interface CommonMirrors<Policy, Workload, Exempt> {
  readonly nodes: Reflector<NodeView>
  readonly namespaces: Reflector<NamespaceView>
  readonly policies: Reflector<Policy>
  readonly workloads: Reflector<Workload>
  readonly exemptions: Reflector<Exempt>
  readonly replicaSets: Reflector<OwnerView>
  readonly jobs: Reflector<OwnerView>
}

/** Mirrors of the kinds that every process looks at; of ReplicaSets and Jobs the metadata only. */
export function commonMirrors<Policy, Workload, Exempt>(
  means: MirrorMeans,
  projections: {
    readonly policy: (raw: unknown) => Policy | undefined
    readonly workload: (raw: unknown) => Workload | undefined
    readonly exemption: (raw: unknown) => Exempt | undefined
  }
): CommonMirrors<Policy, Workload, Exempt> {
  return {
    nodes: mirror(means, {
      resource: { path: '/api/v1/nodes', kind: 'Node' },
      pageSize: LONG_PAGE_SIZE,
      project: nodeReader()
    }),
    namespaces: mirror(means, {
      resource: { path: '/api/v1/namespaces', kind: 'Namespace' },
      project: readNamespace
    }),
    policies: mirror(means, {
      resource: { path: '/apis/rightslice.dev/v1alpha1/gpupolicies', kind: 'GpuPolicy' },
      project: projections.policy
    }),
    workloads: mirror(means, {
      resource: { path: '/apis/rightslice.dev/v1alpha1/gpuworkloads', kind: 'GpuWorkload' },
      project: projections.workload
    }),
    exemptions: mirror(means, {
      resource: { path: '/apis/rightslice.dev/v1alpha1/gpuexemptions', kind: 'GpuExemption' },
      project: projections.exemption
    }),
    replicaSets: mirror(means, {
      resource: { path: '/apis/apps/v1/replicasets', kind: 'ReplicaSet' },
      metadataOnly: true,
      project: (raw) => readOwnerView(raw, 'ReplicaSet')
    }),
    jobs: mirror(means, {
      resource: { path: '/apis/batch/v1/jobs', kind: 'Job' },
      metadataOnly: true,
      project: (raw) => readOwnerView(raw, 'Job')
    })
  }
}

/** Starts every mirror. */
export function startReading<Mirrors extends { readonly [Name in keyof Mirrors]: Mirror }>(
  stores: Mirrors
): ClusterReader<Mirrors> {
  const all = Object.values<Mirror>(stores)
  for (const reflector of all) reflector.start()
  return {
    stores,
    whenSynced: async (signal) => {
      await Promise.all(all.map((reflector) => reflector.synced(signal)))
    },
    stop: async () => {
      await Promise.all(all.map((reflector) => reflector.stop()))
    }
  }
}

type Mirror = Pick<Reflector<unknown>, 'start' | 'synced' | 'stop'>
