import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision } from '../../../src/core/decision/decision.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aGkeNode, aMigNode, aSharedNode, aSingleNode, aWholeNode } from '../../build/node.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const timeSlicing = { namespaces: ['team-a'], maxReplicas: 4 }
const sharedOk = { 'rightslice.dev/isolation': 'shared-ok' }
const nodes = [aMigNode({ name: 'mig' }), aSharedNode({ name: 'shared' })]

/** A slice whose name stays although several pods share it. */
const replicatedSlice = aMigNode({
  labels: {
    'nvidia.com/mig-1g.10gb.replicas': '4',
    'nvidia.com/mig-1g.10gb.sharing-strategy': 'time-slicing'
  }
})

function decidePinned(pin: string, input: InputSpec & { readonly spec?: PodSpec } = {}): Decision {
  const pod = aPod({ ...input.spec, annotations: { 'rightslice.dev/pin': pin } })
  return decide(
    anInput({ nodes, namespaceLabels: sharedOk, policies: [aPolicy({ timeSlicing })], ...input, pod })
  )
}

const table: readonly {
  name: string
  pin: string
  input?: InputSpec & { readonly spec?: PodSpec }
  want: string
  resource?: string
  says?: string
}[] = [
  { name: '[DEC21] whole-gpu', pin: 'whole-gpu', want: 'Pinned' },
  {
    name: '[DEC21] whole-gpu, with reasons of its own to stay whole',
    pin: 'whole-gpu',
    input: { spec: { nodeName: 'mig' } },
    want: 'PinnedToNode'
  },
  {
    name: '[DEC22] a profile, whatever the history',
    pin: 'mig-1g.10gb',
    input: { usage: undefined },
    want: 'PinnedToSlice',
    resource: 'nvidia.com/mig-1g.10gb'
  },
  {
    name: '[DEC22] a profile that is too small for the peak',
    pin: 'mig-1g.10gb',
    input: { usage: aUsage({ peakMiB: 40_000 }) },
    want: 'PinnedToSlice',
    resource: 'nvidia.com/mig-1g.10gb'
  },
  {
    name: '[DEC22] a profile whose memory nobody knows',
    pin: 'mig-1g.5gb',
    input: { nodes: [aMigNode({ product: 'No-Such-GPU', profiles: { '1g.5gb': { count: 1 } } })] },
    want: 'PinnedToSlice',
    resource: 'nvidia.com/mig-1g.5gb'
  },
  {
    name: '[DEC22] a profile outside the allowed profiles',
    pin: 'mig-1g.10gb',
    input: { policies: [aPolicy({ mig: { allowedProfiles: ['2g.20gb'] } })] },
    want: 'PinnedToSlice',
    resource: 'nvidia.com/mig-1g.10gb'
  },
  {
    name: '[DEC22] a profile when no profile is allowed',
    pin: 'mig-1g.10gb',
    input: { policies: [aPolicy({ mig: { allowedProfiles: [] } })] },
    want: 'PinnedToSlice'
  },
  {
    name: '[DEC22] a profile by the single strategy',
    pin: 'mig-1g.10gb',
    input: { nodes: [aSingleNode()] },
    want: 'PinnedToSlice',
    resource: 'nvidia.com/gpu'
  },
  {
    name: '[DEC22] a profile of GKE, on an accelerator that nobody knows',
    pin: 'mig-1g.5gb',
    input: { nodes: [aGkeNode({ accelerator: 'nvidia-of-tomorrow', partitionSize: '1g.5gb' })] },
    want: 'PinnedToSlice',
    resource: 'nvidia.com/gpu'
  },
  {
    name: '[DEC22] a profile of GKE of which there are only replicas',
    pin: 'mig-1g.5gb',
    input: {
      nodes: [aGkeNode({ partitionSize: '1g.5gb', sharing: { strategy: 'time-sharing', clients: 2 } })]
    },
    want: 'PinNotOffered'
  },
  {
    name: '[DEC22] a provisionable profile',
    pin: 'mig-2g.20gb',
    input: { policies: [aPolicy({ mig: { provisionable: ['2g.20gb'] } })] },
    want: 'PinnedToSlice',
    resource: 'nvidia.com/mig-2g.20gb'
  },
  { name: '[DEC22] shared', pin: 'shared', want: 'PinnedToSlice', resource: 'nvidia.com/gpu.shared' },
  {
    name: '[DEC22] a profile by a method that the policy does not list',
    pin: 'mig-1g.10gb',
    input: { policies: [aPolicy({ timeSlicing, methods: ['time-slicing'] })] },
    want: 'MethodNotAllowed'
  },
  {
    name: '[DEC22] shared in a namespace that is not listed',
    pin: 'shared',
    input: { policies: [aPolicy()] },
    want: 'TimeSlicingNotListed',
    says: 'team-a'
  },
  {
    name: '[DEC22] shared in a namespace of hardware isolation',
    pin: 'shared',
    input: { namespaceLabels: {} },
    want: 'TimeSlicingNotListed',
    says: 'rightslice.dev/isolation=shared-ok'
  },
  {
    name: '[DEC22] shared by too many',
    pin: 'shared',
    input: { policies: [aPolicy({ timeSlicing: { ...timeSlicing, maxReplicas: 2 } })] },
    want: 'TooManyReplicas'
  },
  {
    name: '[DEC23] a profile that no node offers',
    pin: 'mig-2g.20gb',
    want: 'PinNotOffered',
    says: 'a MIG slice 2g.20gb'
  },
  {
    name: '[DEC23] shared where no node is shared',
    pin: 'shared',
    input: { nodes: [aMigNode()] },
    want: 'PinNotOffered',
    says: 'a shared replica'
  },
  {
    name: '[DEC23] anything where nothing is offered',
    pin: '1g.10gb',
    input: { nodes: [aWholeNode()] },
    want: 'PinNotOffered'
  },
  {
    name: '[DEC22] a profile of which there are only replicas',
    pin: 'mig-1g.10gb',
    input: { nodes: [replicatedSlice] },
    want: 'PinNotOffered'
  },
  {
    name: '[DEC22] shared, where slices are replicated',
    pin: 'shared',
    input: { nodes: [replicatedSlice] },
    want: 'PinnedToSlice',
    resource: 'nvidia.com/mig-1g.10gb'
  },
  {
    name: '[DEC19] shared, and sharing mig',
    pin: 'shared',
    input: { policies: [aPolicy()], nodes: [aSharedNode()] },
    want: 'TimeSlicingNotListed'
  },
  {
    name: '[DEC39] a profile for two containers on a node that has one',
    pin: 'mig-1g.10gb',
    input: {
      nodes: [aMigNode({ profiles: { '1g.10gb': { count: 1, memoryMiB: 9728 } } })],
      spec: { containers: [{ name: 'a' }, { name: 'b' }] }
    },
    want: 'SeveralGpuContainers'
  },
  {
    name: '[DEC22] a profile for two containers and their init container on a node that has two',
    pin: 'mig-1g.10gb',
    input: {
      nodes: [aMigNode({ profiles: { '1g.10gb': { count: 2, memoryMiB: 9728 } } })],
      spec: { initContainers: [{}], containers: [{ name: 'a' }, { name: 'b' }] }
    },
    want: 'PinnedToSlice'
  }
]

for (const { name, pin, input, want, resource, says } of table) {
  t.test(`a pin to ${name}: ${want}`, async (t) => {
    const decision = decidePinned(pin, input)

    t.equal(decision.reason, want, decision.sentence)
    t.ok(decision.sentence.includes(says ?? ''), decision.sentence)
    if (resource !== undefined)
      t.equal(decision.kind === 'rewrite' && decision.changes[0]?.resource, resource)
  })
}

t.test('[DEC19] a pin to a shared replica beside sharing: mig is refused', async (t) => {
  const annotations = { 'rightslice.dev/pin': 'shared', 'rightslice.dev/sharing': 'mig' }

  const decision = decide(
    anInput({
      pod: aPod({ annotations }),
      nodes,
      namespaceLabels: sharedOk,
      policies: [aPolicy({ timeSlicing })]
    })
  )

  t.equal(decision.reason, 'OptedOut')
})

t.test('[DEC22] the sentence of a pinned share says so and names no peak', async (t) => {
  const { sentence, evidence } = decidePinned('mig-1g.10gb')

  t.equal(
    sentence,
    'main nvidia.com/gpu 1 -> nvidia.com/mig-1g.10gb 1 (pinned); memory, compute and faults are separated in hardware'
  )
  t.strictSame(evidence.findings, [])
})

for (const pin of ['whole-gpu', 'mig-1g.10gb', 'shared', 'mig-7g.80gb']) {
  t.test(`[DEC20] a policy that allows no pins sizes the pod in spite of ${pin}, and says so`, async (t) => {
    const policies = [aPolicy({ exemptions: { allowPin: false }, timeSlicing, methods: ['mig-mixed'] })]

    const decision = decidePinned(pin, { policies })

    t.equal(decision.reason, 'FitsMigProfile')
    t.strictSame(decision.notices, [
      'rightslice.dev/pin is not obeyed: policy standard has exemptions.allowPin false'
    ])
  })
}

t.test('[DEC17] a pin in a namespace that only warns is proposed', async (t) => {
  const namespaceLabels = { ...sharedOk, 'rightslice.dev/rightsize': 'warn' }

  const decision = decidePinned('mig-1g.10gb', { namespaceLabels })

  t.equal(decision.reason, 'ProposeOnly')
  t.equal(decision.kind === 'keep' && decision.proposed?.reason, 'PinnedToSlice')
})
