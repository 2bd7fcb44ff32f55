import type { MethodName } from '../../src/core/api/method-names.ts'
import type { ClaimTemplate } from '../../src/core/cluster/devices/claim-template.ts'
import type { NodeView } from '../../src/core/cluster/node-view.ts'
import type { JsonRecord } from '../../src/core/json.ts'
import { aClaimTemplate, aDeviceView, someClasses } from '../build/devices.ts'
import { type InputSpec, viewOf } from '../build/input.ts'
import { aGkeNode, aHamiNode, aMigNode, aNode, anMpsNode, aSharedNode, aSingleNode } from '../build/node.ts'
import type { PodSpec } from '../build/pod.ts'
import { aPolicy, type PolicySpec } from '../build/policy.ts'
import { aUsage } from '../build/usage.ts'

/** One situation in which a method serves a pod, and what says that it may. */
export interface MethodSample {
  /** A node of the method's kind; it has offers of this method alone. */
  readonly node: JsonRecord
  /** Fields of a policy that allows them. */
  readonly policy: PolicySpec
  /** Fields of a policy that lets the namespace use none of them. */
  readonly refusing: PolicySpec
  readonly namespaceLabels: Readonly<Record<string, string>>
  readonly pod?: PodSpec
  /** What drivers publish for the node; absent: nothing. */
  readonly devices?: NodeView['devices']
  /** Our templates in the namespace. */
  readonly claimTemplates?: readonly ClaimTemplate[]
}

const hardware = { policy: {}, refusing: { mig: { allowedProfiles: [] } }, namespaceLabels: {} } as const
const shared = {
  policy: { timeSlicing: { namespaces: ['team-a'], maxReplicas: 8 } },
  refusing: {},
  namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' }
} as const

const byMps = { ...shared, policy: { mps: { namespaces: ['team-a'], maxReplicas: 8 } } } as const

const partitioned = { partitionSize: '1g.5gb', count: 7 } as const
const timeShared = { strategy: 'time-sharing', clients: 3 } as const

/** Situations of every method, by its name; a method without one does not pass its contract. */
export const methodSamples: Readonly<Partial<Record<MethodName, Readonly<Record<string, MethodSample>>>>> = {
  'mig-mixed': { slices: { node: aMigNode(), ...hardware } },
  'mig-single': { slices: { node: aSingleNode(), ...hardware } },
  'time-slicing': {
    'renamed replicas': { node: aSharedNode(), ...shared },
    'replicas that keep the name': { node: aSharedNode({ renamed: false }), ...shared }
  },
  mps: {
    'renamed replicas': { node: anMpsNode(), ...byMps },
    'replicas that keep the name': { node: anMpsNode({ renamed: false }), ...byMps }
  },
  dra: {
    'names that classes serve': { node: aNode(), devices: aDeviceView().devices, ...hardware },
    'claims from templates': {
      node: aNode(),
      devices: aDeviceView({}, { classes: [someClasses.mig] }).devices,
      claimTemplates: ['1g.10gb', '2g.20gb', '3g.40gb'].map((profile) =>
        aClaimTemplate({ asks: { profile, deviceClass: 'mig.nvidia.com' } })
      ),
      ...hardware
    }
  },
  hami: {
    'GPUs for ten': {
      node: aHamiNode(),
      policy: { methods: ['hami'] },
      refusing: {},
      namespaceLabels: shared.namespaceLabels
    }
  },
  gke: {
    slices: { node: aGkeNode(partitioned), ...hardware },
    'slices behind a taint of their own': {
      node: aGkeNode({
        ...partitioned,
        taints: [{ key: 'cloud.google.com/gke-gpu-partition-size', value: '1g.5gb', effect: 'NoSchedule' }]
      }),
      ...hardware
    },
    'time-shared GPUs': { node: aGkeNode({ sharing: timeShared, count: 3 }), ...shared },
    'time-shared slices': {
      node: aGkeNode({ partitionSize: '3g.20gb', sharing: timeShared, count: 6 }),
      ...shared
    },
    'clients of MPS': {
      node: aGkeNode({ accelerator: 'nvidia-l4', sharing: { strategy: 'mps', clients: 2 }, count: 2 }),
      policy: {
        mps: { namespaces: ['team-a'], maxReplicas: 4 },
        isolationRules: { HostIpcWithSharedGpu: 'Off' }
      },
      refusing: {},
      namespaceLabels: shared.namespaceLabels,
      pod: { spec: { hostIPC: true } }
    }
  }
}

/** Everything that a decision on the sample looks at but the pod; its peak is so small that every share holds it. */
export function inputOf(sample: MethodSample): InputSpec {
  const { policy, namespaceLabels, claimTemplates = [] } = sample
  const policies = [aPolicy(policy)]
  const usage = aUsage({ peakMiB: 1000 })
  return { nodes: [], views: [viewIn(sample)], policies, namespaceLabels, claimTemplates, usage }
}

/** The node as decisions see it. */
export function viewIn({ node, devices }: MethodSample): NodeView {
  return { ...viewOf(node), ...(devices === undefined ? {} : { devices }) }
}
