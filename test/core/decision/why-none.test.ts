import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision } from '../../../src/core/decision/decision.ts'
import { whyNoneFits } from '../../../src/core/decision/why-none.ts'
import { candidatesOf } from '../../../src/core/sharing/candidates.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aMigNode, aNode, aSharedNode, aWholeNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const timeSlicing = { namespaces: ['team-a'], maxReplicas: 4 }
const slim = { '1g.10gb': { count: 7, memoryMiB: 9728, multiprocessors: 16 } }
const pooled = { labels: { pool: 'gpu' } }

const table: readonly { name: string; input: InputSpec; want: string; says: string }[] = [
  {
    name: '[DEC41] a peak above every share',
    input: { usage: aUsage({ peakMiB: 9000 }) },
    want: 'PeakTooLarge',
    says: 'container main needs 10.5Gi, the largest share that may be used holds 9.5Gi'
  },
  {
    name: '[DEC41] a floor above every share',
    input: { pod: aPod({ annotations: { 'rightslice.dev/min-memory': '20Gi' } }) },
    want: 'MinMemoryTooLarge',
    says: 'container main needs 20Gi'
  },
  {
    name: '[DEC41] a floor above every share, below a peak that is so too',
    input: {
      pod: aPod({ annotations: { 'rightslice.dev/min-memory': '10Gi' } }),
      usage: aUsage({ peakMiB: 30_000 })
    },
    want: 'PeakTooLarge',
    says: 'needs 35.2Gi'
  },
  {
    name: '[DEC41] more compute than every share that is large enough',
    input: { nodes: [aMigNode({ profiles: slim })], usage: aUsage({ peakComputeRatio: 0.5 }) },
    want: 'ComputeTooHigh',
    says: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE peaks at 50%, no share with enough memory has that much (largest 12%)'
  },
  {
    name: '[DEC41] slices of unknown memory',
    input: { nodes: [aMigNode({ product: 'No-Such-GPU', profiles: { '1g.10gb': { count: 1 } } })] },
    want: 'MemoryUnknown',
    says: 'neither a node label nor the catalogue tells the memory of mig-1g.10gb'
  },
  {
    name: '[DEC42] profiles that are not allowed',
    input: { policies: [aPolicy({ mig: { allowedProfiles: ['2g.20gb', '3g.40gb'] } })] },
    want: 'ProfileNotAllowed',
    says: 'mig-1g.10gb is not among the allowed profiles (2g.20gb, 3g.40gb)'
  },
  {
    name: '[DEC42] no profile allowed',
    input: { policies: [aPolicy({ mig: { allowedProfiles: [] } })] },
    want: 'ProfileNotAllowed',
    says: '(none)'
  },
  {
    name: '[DEC42] methods that are not allowed',
    input: { policies: [aPolicy({ methods: ['time-slicing'] })] },
    want: 'MethodNotAllowed',
    says: 'mig-mixed'
  },
  {
    name: '[DEC42] replicas in a namespace without time-slicing',
    input: { nodes: [aSharedNode()] },
    want: 'TimeSlicingNotListed',
    says: 'namespace team-a is not in timeSlicing.namespaces'
  },
  {
    name: '[DEC42] too many replicas',
    input: {
      nodes: [aSharedNode({ replicas: 8 })],
      policies: [aPolicy({ timeSlicing })],
      namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' }
    },
    want: 'TooManyReplicas',
    says: '8 replicas share one device, the policy allows 4'
  },
  {
    name: '[DEC19] sharing mig where only replicas are offered',
    input: {
      pod: aPod({ annotations: { 'rightslice.dev/sharing': 'mig' } }),
      nodes: [aSharedNode()],
      policies: [aPolicy({ timeSlicing })],
      namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' }
    },
    want: 'OptedOut',
    says: 'rightslice.dev/sharing is mig, and only other shares are offered'
  },
  {
    name: '[DEC43] a selector that no offering node matches',
    input: {
      pod: aPod({ nodeSelector: { disk: 'fast' } }),
      nodes: [aMigNode({ name: 'slices' }), aNode({ name: 'plain', labels: { disk: 'fast' } })]
    },
    want: 'SelectorNeverMatches',
    says: 'nodeSelector disk=fast does not match the missing label of node slices, which offers nvidia.com/mig-1g.10gb'
  },
  {
    name: '[DEC43] nodeSelector product: that of whole GPUs, where the node is shared',
    input: {
      pod: aPod({ nodeSelector: { 'nvidia.com/gpu.product': 'Tesla-T4' } }),
      nodes: [
        aSharedNode({ name: 'shared', product: 'Tesla-T4', renamed: false }),
        aWholeNode({ name: 'whole', product: 'Tesla-T4' })
      ]
    },
    want: 'SelectorNeverMatches',
    says: 'nodeSelector nvidia.com/gpu.product=Tesla-T4 does not match Tesla-T4-SHARED of node shared'
  },
  {
    name: '[DEC43] affinity that excludes every offering node',
    input: {
      pod: aPod({ nodeTerms: [{ matchExpressions: [{ key: 'pool', operator: 'Exists' }] }] }),
      nodes: [aMigNode({ name: 'slices' }), aNode({ name: 'plain', ...pooled })]
    },
    want: 'SelectorNeverMatches',
    says: 'required node affinity excludes node slices'
  },
  {
    name: '[DEC43] a taint that is not tolerated',
    input: {
      nodes: [
        aMigNode({ name: 'slices', taints: [{ key: 'nvidia.com/gpu', effect: 'NoSchedule' }] }),
        aNode({ name: 'plain' })
      ]
    },
    want: 'SelectorNeverMatches',
    says: 'taint nvidia.com/gpu is not tolerated on node slices'
  },
  {
    name: '[DEC43] nodes that cannot be partitioned',
    input: { nodes: [aWholeNode({ product: 'NVIDIA-L4', labels: { 'nvidia.com/mig.capable': 'false' } })] },
    want: 'ModelCannotPartition',
    says: 'no GPU that the pod can reach can be partitioned'
  },
  {
    name: '[DEC43] nodes that could be partitioned',
    input: { nodes: [aWholeNode(), aNode({ name: 'plain' })] },
    want: 'NoShareOffered',
    says: 'no ready node that the pod can reach has a share'
  },
  {
    name: '[DEC43] slices on nodes that are not the policy’s',
    input: {
      nodes: [aMigNode({ name: 'other' }), aWholeNode({ name: 'own', ...pooled })],
      policies: [aPolicy({ nodeSelector: { pool: 'gpu' } })]
    },
    want: 'NoShareOffered',
    says: 'no ready node'
  },
  {
    name: '[DEC43] a layout that is being changed',
    input: { nodes: [aMigNode({ labels: { 'nvidia.com/mig.config.state': 'pending' } })] },
    want: 'NoShareOffered',
    says: 'no ready node'
  }
]

for (const { name, input, want, says } of table) {
  t.test(`${name}: ${want}`, async (t) => {
    const decision = decide(anInput(input))

    t.equal(decision.kind, 'keep')
    t.equal(decision.reason, want, decision.sentence)
    t.ok(decision.sentence.includes(says), decision.sentence)
    t.equal(decision.evidence.findings.length, 1)
  })
}

const unreachable = [
  aMigNode({ name: 'slices', labels: { pool: 'gpu' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
  aNode({ name: 'plain' })
]

const ungoverned: readonly { name: string; input: InputSpec; want: string; says: string }[] = [
  {
    name: 'no policy at all',
    input: { policies: [] },
    want: 'NoPolicyMatches',
    says: 'governs namespace team-a'
  },
  {
    name: 'a policy for other namespaces',
    input: { policies: [aPolicy({ namespaceSelector: { matchLabels: { team: 'b' } } })] },
    want: 'NoPolicyMatches',
    says: 'team-a'
  },
  {
    name: 'a suspended policy',
    input: { policies: [aPolicy({ suspend: true })] },
    want: 'NoPolicyMatches',
    says: ''
  },
  { name: 'no node', input: { nodes: [] }, want: 'NoPolicyMatches', says: '' },
  {
    name: 'a policy whose nodes are out of reach',
    input: { nodes: unreachable, policies: [aPolicy({ nodeSelector: { pool: 'gpu' } })] },
    want: 'SelectorNeverMatches',
    says: 'taint gpu is not tolerated on node slices'
  },
  {
    name: 'a policy whose nodes are out of reach and offer nothing',
    input: {
      nodes: [aWholeNode({ labels: { pool: 'gpu' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] })],
      policies: [aPolicy({ nodeSelector: { pool: 'gpu' } })]
    },
    want: 'NoPolicyMatches',
    says: ''
  },
  {
    name: 'a policy whose nodes are out of reach, while slices elsewhere are not',
    input: {
      nodes: [
        aWholeNode({ name: 'own', labels: { pool: 'gpu' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
        aMigNode({ name: 'other' })
      ],
      policies: [aPolicy({ nodeSelector: { pool: 'gpu' } })]
    },
    want: 'NoPolicyMatches',
    says: ''
  }
]

for (const { name, input, want, says } of ungoverned) {
  t.test(`[DEC15] ${name}: ${want}`, async (t) => {
    const decision: Decision = decide(anInput(input))

    t.equal(decision.reason, want, decision.sentence)
    t.ok(decision.sentence.includes(says), decision.sentence)
    t.equal(decision.evidence.policy, undefined)
    t.equal(decision.kind === 'keep' && decision.marks, 'written')
  })
}

t.test('[DEC41] the first container that nothing serves decides', async (t) => {
  const pod = aPod({ containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })
  const usage = aUsage(
    { container: 'a' },
    { container: 'b', peakMiB: 20_000 },
    { container: 'c', peakMiB: 30_000 }
  )

  t.match(decide(anInput({ pod, usage })).sentence, 'container b needs')
})

t.test('[DEC41] a need of compute without a measured peak is told without it', async (t) => {
  const input = anInput({ nodes: [aMigNode({ profiles: slim })] })
  const [container] = input.pod.containers
  const [usage] = aUsage().containers
  if (container === undefined || usage === undefined) throw new Error('the builders give one of each')
  const need = {
    kind: 'need',
    container,
    usage,
    headroomRatio: 0,
    neededMiB: 100,
    raisedBy: 'peak',
    neededCompute: 0.5
  } as const
  const permitted = candidatesOf(input.nodes.classes)

  const known = whyNoneFits([need], { permitted, refused: [] })
  const unknown = whyNoneFits([need], {
    permitted: permitted.map((candidate) => ({ ...candidate, computeRatio: undefined })),
    refused: []
  })

  t.match(
    known.sentence,
    'compute peaks at an unknown share, no share with enough memory has that much (largest 12%)'
  )
  t.equal(unknown.reason, 'PeakTooLarge')
})

t.test('[DEC41] the largest compute that is named is that of a share with enough memory', async (t) => {
  const profiles = {
    '1g.10gb': { count: 1, memoryMiB: 9728, multiprocessors: 16 },
    '2g.12gb': { count: 1, memoryMiB: 1000, multiprocessors: 120 }
  }

  const decision = decide(
    anInput({ nodes: [aMigNode({ profiles })], usage: aUsage({ peakComputeRatio: 0.5 }) })
  )

  t.match(decision.sentence, '(largest 12%)')
})
