import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { migSingle } from '../../../src/core/sharing/mig-single.ts'
import { anInput, viewOf } from '../../build/input.ts'
import { aGkeNode, aMigNode, aNode, aSharedNode, aSingleNode, aWholeNode } from '../../build/node.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'
import { anEffectivePolicy } from '../../build/policy.ts'

const product = 'nvidia.com/gpu.product'
const H100 = 'NVIDIA-H100-80GB-HBM3'
const namespace = { name: 'team-a', labels: {} }

t.test('[SHA21] offers the slices of the node, with memory and compute of its labels', async (t) => {
  t.strictSame(migSingle.offers(viewOf(aSingleNode())), [
    {
      method: 'mig-single',
      resource: 'nvidia.com/gpu',
      share: 'mig-1g.10gb',
      profile: '1g.10gb',
      usableMiB: 9984,
      computeRatio: 16 / 132,
      computeBasis: 'sm-label',
      count: 7,
      replicas: 1,
      separation: 'hardware',
      requires: { [product]: `${H100}-MIG-1g.10gb` }
    }
  ])
})

t.test('[SHA21] without labels the catalogue tells the sizes, for media profiles too', async (t) => {
  const node = aSingleNode({ profile: '1g.10gb.me', slices: 1, slice: {} })

  t.match(migSingle.offers(viewOf(node)), [
    { share: 'mig-1g.10gb.me', profile: '1g.10gb+me', usableMiB: 9984, computeRatio: 16 / 132 }
  ])
})

t.test('[SHA21] a product that the catalogue does not know has unknown memory', async (t) => {
  const [offer] = migSingle.offers(viewOf(aSingleNode({ product: 'No-Such-GPU', slice: {} })))

  t.match(offer, { profile: '1g.10gb', usableMiB: undefined })
})

const single = (labels: Readonly<Record<string, string>>): JsonRecord => aSingleNode({ labels })

const nothing: readonly { name: string; node: JsonRecord }[] = [
  { name: 'whole GPUs', node: aWholeNode() },
  { name: 'whole GPUs of a node whose strategy is single', node: single({ [product]: H100 }) },
  { name: 'the mixed strategy', node: aMigNode({ allocatable: { 'nvidia.com/gpu': '1' } }) },
  {
    name: 'a profile in the product label, and no strategy',
    node: single({ 'nvidia.com/mig.strategy': '' })
  },
  { name: 'replicas', node: aSharedNode({ renamed: false }) },
  {
    name: 'a layout that feature discovery calls invalid',
    node: single({ [product]: `${H100}-MIG-INVALID` })
  },
  { name: 'a profile that nobody knows', node: single({ [product]: `${H100}-MIG-99g.1gb.x` }) },
  { name: 'replicas of slices', node: single({ 'nvidia.com/gpu.replicas': '2' }) },
  { name: 'no replicas at all', node: single({ 'nvidia.com/gpu.replicas': '0' }) },
  { name: 'replicas of nobody knows how many', node: single({ 'nvidia.com/gpu.replicas': 'x' }) },
  { name: 'a sharing strategy', node: single({ 'nvidia.com/gpu.sharing-strategy': 'mps' }) },
  { name: 'shared slices by the product label', node: single({ [product]: `${H100}-MIG-1g.10gb-SHARED` }) },
  { name: 'a layout in the making', node: single({ 'nvidia.com/mig.config.state': 'pending' }) },
  { name: 'a layout that failed', node: single({ 'nvidia.com/mig.config.state': 'failed' }) },
  { name: 'more than the labels count', node: single({ 'nvidia.com/gpu.count': '2' }) },
  { name: 'none allocatable', node: aSingleNode({ allocatable: { 'nvidia.com/gpu': '0' } }) },
  {
    name: 'no product label',
    node: aNode({ labels: { 'nvidia.com/mig.strategy': 'single' }, allocatable: { 'nvidia.com/gpu': '7' } })
  },
  {
    name: 'slices that GKE shares by time',
    node: single({ 'cloud.google.com/gke-gpu-sharing-strategy': 'time-sharing' })
  },
  { name: 'a node of GKE', node: aGkeNode({ partitionSize: '1g.5gb', count: 7 }) }
]
for (const { name, node } of nothing) {
  t.test(`[SHA22] offers nothing: ${name}`, async (t) => t.strictSame(migSingle.offers(viewOf(node)), []))
}

t.test('[SHA10] a profile that the policy does not list is refused', async (t) => {
  const policy = anEffectivePolicy({ mig: { allowedProfiles: ['2g.20gb'] } })

  for (const offer of migSingle.offers(viewOf(aSingleNode())))
    t.match(migSingle.refusal(offer, { policy, namespace }), {
      reason: 'ProfileNotAllowed',
      sentence: 'mig-1g.10gb is not among the allowed profiles (2g.20gb)'
    })
})

const nodes = [aSingleNode({ name: 'cut' }), aWholeNode({ name: 'whole' })]
const wish = (values: readonly string[]): PodSpec => ({
  nodeTerms: [{ matchExpressions: [{ key: product, operator: 'In', values }] }]
})

const pods: readonly { name: string; pod: PodSpec; want: string }[] = [
  { name: 'says nothing of nodes', pod: {}, want: 'FitsMigProfile' },
  {
    name: 'selects the whole product',
    pod: { nodeSelector: { [product]: H100 } },
    want: 'SelectorNeverMatches'
  },
  { name: 'must have the whole product by affinity', pod: wish([H100]), want: 'SelectorNeverMatches' },
  { name: 'may have either by affinity', pod: wish([H100, `${H100}-MIG-1g.10gb`]), want: 'FitsMigProfile' },
  {
    name: 'selects the slices itself',
    pod: { nodeSelector: { [product]: `${H100}-MIG-1g.10gb` } },
    want: 'FitsMigProfile'
  }
]
for (const { name, pod, want } of pods) {
  t.test(`[SHA2] [SHA21] a pod that ${name}: ${want}`, async (t) => {
    const decision = decide(anInput({ pod: aPod(pod), nodes }))

    t.equal(decision.reason, want, decision.sentence)
    if (decision.kind === 'rewrite') t.strictSame(decision.nodeSelector, { [product]: `${H100}-MIG-1g.10gb` })
  })
}

t.test('[SHA17] replicas of the same slices under the same product label are kept away from', async (t) => {
  const leftOver = aSingleNode({
    name: 'shared',
    labels: { 'nvidia.com/gpu.replicas': '4', 'nvidia.com/gpu.sharing-strategy': 'time-slicing' },
    allocatable: { 'nvidia.com/gpu': '28' }
  })

  const decision = decide(anInput({ nodes: [...nodes, leftOver] }))

  t.strictSame(decision.kind === 'rewrite' && decision.nodeSelector, {
    [product]: `${H100}-MIG-1g.10gb`,
    'nvidia.com/gpu.sharing-strategy': 'none'
  })
})
