import t from 'tap'
import { shareSizesFor } from '../../../src/controllers/workloads/share-sizes.ts'
import { readNode } from '../../../src/core/cluster/node-view.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { indexNodes } from '../../../src/core/sharing/node-index.ts'
import type { ShareSize } from '../../../src/core/usage/estimator/hysteresis.ts'
import { aMigNode, aSharedNode, aWholeNode } from '../../build/node.ts'
import { anEffectivePolicy, type PolicySpec } from '../../build/policy.ts'
import { MODEL } from '../rig.ts'

const namespace = { name: 'team-a', labels: { 'rightslice.dev/isolation': 'shared-ok' } }

function sizes(raws: readonly JsonRecord[], policy?: PolicySpec, gpuModel = MODEL): readonly ShareSize[] {
  return shareSizesFor({
    policy: policy === undefined ? undefined : anEffectivePolicy(policy),
    namespace,
    gpuModel,
    nodes: indexNodes(raws.flatMap((raw) => readNode(raw) ?? []))
  })
}

t.test('what a node offers counts as the node says, the rest as the catalogue has it', async (t) => {
  const found = sizes([aMigNode()], {})

  t.ok(found.some(({ usableMiB, memorySlots }) => usableMiB === 9728 && memorySlots === 1))
  t.equal(found.filter(({ memorySlots, usableMiB }) => memorySlots === 1 && usableMiB < 12_000).length, 1)
  t.strictSame(found.at(-1), { usableMiB: 81_559, memorySlots: 8 })
  t.strictSame(
    found.map(({ usableMiB }) => usableMiB),
    found.map(({ usableMiB }) => usableMiB).toSorted((a, b) => a - b)
  )
})

t.test('profiles that the policy does not allow are no sizes', async (t) => {
  const found = sizes([aWholeNode()], { mig: { allowedProfiles: ['3g.40gb'] } })

  t.strictSame(
    found.map(({ memorySlots }) => memorySlots),
    [4, 8]
  )
})

t.test('without nodes and policy there is the catalogue', async (t) => {
  t.ok(sizes([]).length > 3)
})

t.test('replicas of a model that is not in the catalogue', async (t) => {
  const policy = { timeSlicing: { namespaces: ['team-a'], maxReplicas: 4 } }
  const found = sizes([aSharedNode()], policy, 'NVIDIA-L4')

  t.equal(found.length, 2)
  t.equal(found[0]?.memorySlots, 2)
  t.strictSame(found.at(-1), { usableMiB: 23_034, memorySlots: 8 })
})

t.test('of a model that nobody knows nothing is known', async (t) => {
  t.strictSame(sizes([aMigNode()], {}, 'NVIDIA-UNHEARD-OF'), [])
})
