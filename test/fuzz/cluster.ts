import { readPod } from '../../src/core/pod/pod-view.ts'
import { workloadOf } from '../../src/core/pod/workload.ts'
import { toEffectivePolicy } from '../../src/core/policy/effective-policy.ts'
import { readGpuWorkload } from '../../src/core/usage/read-gpu-workload.ts'
import { anExemption } from '../build/exemption.ts'
import { viewOf } from '../build/input.ts'
import { aMigNode, aSharedNode, aWholeNode } from '../build/node.ts'
import { aRawPolicy } from '../build/policy.ts'
import { aGpuWorkload } from '../build/usage.ts'
import { someStores } from '../server/some-webhook.ts'
import { corpusPods } from './corpus.ts'

/** Namespaces on every level, by name. */
const levels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'team-a': { 'rightslice.dev/rightsize': 'enforce' },
  'team-b': { 'rightslice.dev/rightsize': 'warn' },
  'team-c': { 'rightslice.dev/rightsize': 'enforce', 'rightslice.dev/isolation': 'shared-ok' },
  'team-d': { 'rightslice.dev/rightsize': 'off' }
}

/** Namespaces that reviews come from, those that enforce more often than others, among them one that is unknown and one of the system. */
export const namespaceNames: readonly string[] = [
  'team-a',
  'team-a',
  'team-a',
  'team-a',
  'team-c',
  'team-c',
  'team-c',
  'team-b',
  'team-d',
  'unknown',
  'kube-system'
]

/** Peaks that lead to different sizes, MiB. */
const PEAKS = [900, 5200, 14_000, 30_000, 70_000] as const

/**
 * A cluster in which something can become of every pod of the corpus: slices, replicas and whole cards to land on, a policy that
 * allows all of them, and a history of each of their workloads.
 */
export function fuzzedCluster(): ReturnType<typeof someStores> {
  const stores = someStores()
  const profiles = {
    '1g.10gb': { count: 7, memoryMiB: 9728 },
    '2g.20gb': { count: 3, memoryMiB: 19_968 },
    '3g.40gb': { count: 2, memoryMiB: 40_448 }
  }
  stores.nodes.set('', 'mig', viewOf(aMigNode({ name: 'mig', profiles })))
  stores.nodes.set('', 'shared', viewOf(aSharedNode({ name: 'shared' })))
  stores.nodes.set('', 'whole', viewOf(aWholeNode({ name: 'whole' })))
  for (const [name, labels] of Object.entries(levels)) stores.namespaces.set('', name, { name, labels })
  stores.policies.set('', 'standard', toEffectivePolicy(somePolicy()))
  stores.policies.set('', 'wrong', toEffectivePolicy(aRawPolicy({ name: 'wrong', mode: 'Sometimes' })))
  for (const namespace of Object.keys(levels)) addHistory(stores, namespace)
  stores.exemptions.set('team-a', 'load-test', anExemption({ rules: ['HostPidWithGpu', 'Rewrite'] }))
  return stores
}

function somePolicy() {
  return aRawPolicy({
    methods: ['mig-mixed', 'time-slicing'],
    timeSlicing: { namespaces: ['team-c'], maxReplicas: 8 },
    exemptions: { allowPin: true },
    isolationRules: { NamedProfileNotAllowed: 'Enforce', RequestNeverMet: 'Warn' }
  })
}

function addHistory(stores: ReturnType<typeof someStores>, namespace: string): void {
  for (const [index, raw] of corpusPods.entries()) {
    const pod = readPod(raw, namespace)
    const { kind, name: workload, role } = workloadOf(pod, () => undefined)
    const name = `workload-${index}`
    const containers = pod.containers.map((container) => ({
      name: container.name,
      peakMemory: `${PEAKS[index % PEAKS.length]}Mi`,
      history: { coverage: '14d' }
    }))
    const read = readGpuWorkload(
      aGpuWorkload({ name, namespace, kind, workload, ...(role === undefined ? {} : { role }), containers })
    )
    if (read !== undefined) stores.workloads.set(namespace, name, read)
  }
}
