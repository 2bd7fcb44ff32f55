import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { gke } from '../../../src/core/sharing/gke.ts'
import type { Offer } from '../../../src/core/sharing/method.ts'
import { anInput, type InputSpec, viewOf } from '../../build/input.ts'
import { aGkeNode, aWholeNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { anEffectivePolicy, aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const label = (name: string): string => `cloud.google.com/gke-${name}`
const timeSharing = { strategy: 'time-sharing', clients: 3 } as const
const sharedOk = { 'rightslice.dev/isolation': 'shared-ok' }
const listed = { namespaces: ['team-a'], maxReplicas: 4 }

function offerOf(node: JsonRecord): Offer {
  const [offer, ...others] = gke.offers(viewOf(node))
  if (offer === undefined || others.length > 0) throw new Error('not one offer')
  return offer
}

t.test('[SHA23] slices of a partition size, sized by the catalogue', async (t) => {
  t.strictSame(offerOf(aGkeNode({ partitionSize: '1g.5gb', count: 7 })), {
    method: 'gke',
    resource: 'nvidia.com/gpu',
    share: 'mig-1g.5gb',
    profile: '1g.5gb',
    usableMiB: 4864,
    computeRatio: 14 / 108,
    computeBasis: 'sm-catalog',
    count: 7,
    replicas: 1,
    separation: 'hardware',
    requires: { [label('accelerator')]: 'nvidia-tesla-a100', [label('gpu-partition-size')]: '1g.5gb' },
    tolerates: []
  })
})

t.test('[SHA23] replicas of whole GPUs, with an equal part of memory and compute', async (t) => {
  const node = aGkeNode({ accelerator: 'nvidia-tesla-t4', sharing: timeSharing, count: 3 })

  t.match(offerOf(node), {
    share: 'shared',
    profile: undefined,
    usableMiB: Math.floor(14_930 / 3),
    computeRatio: 1 / 3,
    computeBasis: 'replicas',
    replicas: 3,
    separation: 'none',
    requires: {
      [label('accelerator')]: 'nvidia-tesla-t4',
      [label('gpu-sharing-strategy')]: 'time-sharing',
      [label('max-shared-clients-per-gpu')]: '3'
    }
  })
})

t.test('[SHA23] replicas of slices are no slices', async (t) => {
  t.match(offerOf(aGkeNode({ partitionSize: '3g.20gb', sharing: timeSharing, count: 6 })), {
    share: 'shared',
    profile: '3g.20gb',
    usableMiB: Math.floor(19_968 / 3),
    replicas: 3,
    separation: 'none'
  })
})

t.test('[SHA23] clients of MPS have a limit', async (t) => {
  const node = aGkeNode({ accelerator: 'nvidia-l4', sharing: { strategy: 'mps', clients: 2 }, count: 2 })

  t.match(offerOf(node), { usableMiB: Math.floor(22_559 / 2), separation: 'memory-limit', replicas: 2 })
})

t.test('[SHA24] an accelerator that is not known has unknown memory', async (t) => {
  const accelerator = 'nvidia-of-tomorrow'

  t.match(offerOf(aGkeNode({ accelerator, partitionSize: '1g.5gb' })), {
    usableMiB: undefined,
    computeRatio: undefined
  })
  t.match(offerOf(aGkeNode({ accelerator, sharing: timeSharing })), { usableMiB: undefined })
  t.match(offerOf(aGkeNode({ accelerator: 'nvidia-l4', partitionSize: '1g.5gb' })), { usableMiB: undefined })
})

const nothing: readonly { name: string; node: JsonRecord }[] = [
  { name: 'whole GPUs of GKE', node: aGkeNode() },
  { name: 'whole GPUs elsewhere', node: aWholeNode() },
  { name: 'a partition size that is no profile', node: aGkeNode({ partitionSize: 'half' }) },
  { name: 'none allocatable', node: aGkeNode({ partitionSize: '1g.5gb', count: 0 }) },
  {
    name: 'a strategy that nobody knows',
    node: aGkeNode({ sharing: { strategy: 'constructor', clients: 3 } })
  },
  { name: 'one client', node: aGkeNode({ sharing: { strategy: 'time-sharing', clients: 1 } }) },
  { name: 'clients that are no number', node: aGkeNode({ sharing: { strategy: 'mps', clients: 'many' } }) },
  {
    name: 'a strategy without the number of clients',
    node: aGkeNode({ labels: { [label('gpu-sharing-strategy')]: 'time-sharing' } })
  },
  {
    name: 'a number of clients without a strategy, beside a partition size',
    node: aGkeNode({ partitionSize: '1g.5gb', labels: { [label('max-shared-clients-per-gpu')]: '2' } })
  },
  {
    name: 'MPS on slices',
    node: aGkeNode({ partitionSize: '3g.20gb', sharing: { strategy: 'mps', clients: 2 } })
  }
]
for (const { name, node } of nothing) {
  t.test(`[SHA25] offers nothing: ${name}`, async (t) => t.strictSame(gke.offers(viewOf(node)), []))
}

t.test('[SHA20] [SHA26] a taint that says the same as a label is the own one of a share', async (t) => {
  const own = { key: label('gpu-partition-size'), value: '1g.5gb', effect: 'NoSchedule' }
  const bare = { key: label('accelerator'), value: '', effect: 'NoExecute' }
  const other = { key: label('gpu-partition-size'), value: '2g.10gb', effect: 'NoSchedule' }
  const foreign = { key: 'team', value: 'a', effect: 'NoSchedule' }
  const node = aGkeNode({ partitionSize: '1g.5gb', taints: [own, bare, other, foreign] })

  t.strictSame(offerOf(node).tolerates, [own, bare])
})

const slices = aGkeNode({ partitionSize: '2g.10gb', count: 3 })
const replicas = aGkeNode({ sharing: timeSharing, count: 3 })
const clients = aGkeNode({ sharing: { strategy: 'mps', clients: 3 }, count: 3 })

const rows: readonly { name: string; input: InputSpec; hostIpc?: boolean; want: string }[] = [
  { name: 'slices', input: { nodes: [slices] }, want: 'FitsMigProfile' },
  {
    name: 'slices of a profile that is not allowed',
    input: { nodes: [slices], policies: [aPolicy({ mig: { allowedProfiles: ['1g.5gb'] } })] },
    want: 'ProfileNotAllowed'
  },
  { name: 'replicas by time', input: { nodes: [replicas] }, want: 'TimeSlicingNotListed' },
  {
    name: 'replicas by time, listed for MPS',
    input: { nodes: [replicas], policies: [aPolicy({ mps: listed })], namespaceLabels: sharedOk },
    want: 'TimeSlicingNotListed'
  },
  {
    name: 'replicas by time, listed without consent',
    input: { nodes: [replicas], policies: [aPolicy({ timeSlicing: listed })] },
    want: 'TimeSlicingNotListed'
  },
  {
    name: 'replicas by time, listed',
    input: { nodes: [replicas], policies: [aPolicy({ timeSlicing: listed })], namespaceLabels: sharedOk },
    want: 'FitsSharedReplica'
  },
  {
    name: 'too many replicas by time',
    input: {
      nodes: [replicas],
      policies: [aPolicy({ timeSlicing: { ...listed, maxReplicas: 2 } })],
      namespaceLabels: sharedOk
    },
    want: 'TooManyReplicas'
  },
  {
    name: 'MPS, listed for time-slicing',
    input: { nodes: [clients], policies: [aPolicy({ timeSlicing: listed })], namespaceLabels: sharedOk },
    want: 'MpsNotListed'
  },
  {
    name: 'MPS, listed, for a pod without the IPC namespace of its node',
    input: { nodes: [clients], policies: [aPolicy({ mps: listed })], namespaceLabels: sharedOk },
    want: 'NeedsHostIpc'
  },
  {
    name: 'MPS, listed, for a pod that isolation refuses',
    input: { nodes: [clients], policies: [aPolicy({ mps: listed })], namespaceLabels: sharedOk },
    hostIpc: true,
    want: 'BreaksIsolation'
  },
  {
    name: 'MPS, listed, for a pod that may use the IPC namespace of its node',
    input: {
      nodes: [clients],
      policies: [aPolicy({ mps: listed, isolationRules: { HostIpcWithSharedGpu: 'Off' } })],
      namespaceLabels: sharedOk
    },
    hostIpc: true,
    want: 'FitsSharedReplica'
  }
]
for (const { name, input, hostIpc = false, want } of rows) {
  t.test(`[SHA27] ${name}: ${want}`, async (t) => {
    const pod = aPod(hostIpc ? { spec: { hostIPC: true } } : {})

    const decision = decide(anInput({ usage: aUsage({ peakMiB: 5000 }), ...input, pod }))

    t.equal(decision.reason, want, decision.sentence)
  })
}

t.test('[SHA27] where no pod is looked at, none is without the IPC namespace', async (t) => {
  const policy = anEffectivePolicy({ mps: listed })

  t.equal(
    gke.refusal(offerOf(clients), { policy, namespace: { name: 'team-a', labels: sharedOk } }),
    undefined
  )
})

t.test(
  '[SHA17] slices beside time-shared slices of the same size are told apart by their pool alone',
  async (t) => {
    const sharedSlices = (pool: string): JsonRecord =>
      aGkeNode({
        name: 'shared',
        partitionSize: '2g.10gb',
        sharing: timeSharing,
        count: 9,
        labels: { [label('nodepool')]: pool }
      })

    const apart = decide(anInput({ nodes: [slices, sharedSlices('pool-2')] }))
    const alike = decide(anInput({ nodes: [slices, sharedSlices('pool-1')] }))

    t.equal(apart.kind === 'rewrite' && apart.nodeSelector[label('nodepool')], 'pool-1')
    t.equal(alike.reason, 'TimeSlicingNotListed', 'the slices are no candidate, the replicas are refused')
  }
)

t.test('says what it keeps apart', async (t) => {
  t.match(gke.isolates('hardware'), /separated in hardware/)
  t.match(gke.isolates('none'), /no memory limit/)
  t.match(gke.isolates('memory-limit'), /limit on its memory/)
})

t.test(
  '[SHA20] nodes of one share behind different taints of its own are all tolerated, each taint once',
  async (t) => {
    const bare = { key: label('gpu-partition-size'), value: '', effect: 'NoSchedule' }
    const valued = { ...bare, value: '2g.10gb' }
    const behind = (name: string, ...taints: readonly JsonRecord[]): JsonRecord =>
      aGkeNode({ name, partitionSize: '2g.10gb', count: 3, taints })

    const decision = decide(anInput({ nodes: [behind('a', bare), behind('b', bare, valued), behind('c')] }))

    t.strictSame(decision.kind === 'rewrite' && decision.tolerates, [bare, valued])
  }
)
