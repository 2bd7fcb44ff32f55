import type { FakeApiServer, FakeCollection } from './fake-api-server.ts'

const own = 'rightslice.dev/v1alpha1'

/** What the processes read of every cluster: path of the collection, version, kind. */
const served = [
  ['/api/v1/nodes', 'v1', 'Node'],
  ['/api/v1/namespaces', 'v1', 'Namespace'],
  ['/api/v1/pods', 'v1', 'Pod'],
  ['/api/v1/resourcequotas', 'v1', 'ResourceQuota'],
  ['/api/v1/limitranges', 'v1', 'LimitRange'],
  ['/api/v1/events', 'v1', 'Event'],
  [`/apis/${own}/gpupolicies`, own, 'GpuPolicy'],
  [`/apis/${own}/gpuworkloads`, own, 'GpuWorkload'],
  [`/apis/${own}/gpuexemptions`, own, 'GpuExemption'],
  ['/apis/apps/v1/replicasets', 'apps/v1', 'ReplicaSet'],
  ['/apis/batch/v1/jobs', 'batch/v1', 'Job']
] as const

export type ServedKind = (typeof served)[number][2]

/** Serves all of it, empty at first; the collections by kind. */
export function serveKinds(api: FakeApiServer): Readonly<Record<ServedKind, FakeCollection>> {
  const entries = served.map(([path, version, kind]) => [kind, api.collection(path, version, kind)] as const)
  return Object.fromEntries(entries) as Record<ServedKind, FakeCollection>
}
