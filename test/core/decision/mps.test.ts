import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision } from '../../../src/core/decision/decision.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aMigNode, anMpsNode, aSharedNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const list = { namespaces: ['team-a'], maxReplicas: 4 }
const shared: InputSpec = {
  namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
  policies: [aPolicy({ mps: list, timeSlicing: list })]
}

function decided(input: InputSpec): Decision {
  return decide(anInput({ ...shared, ...input }))
}

t.test('[SHA31] the need has to fit what server and driver leave, not the limit itself', async (t) => {
  const nodes = [anMpsNode({ replicas: 4, memoryMiB: 23_034 })]
  const held = 5275

  const fits = decided({ nodes, usage: aUsage({ peakMiB: held / 1.2 - 1 }) })
  const tooLarge = decided({ nodes, usage: aUsage({ peakMiB: held / 1.2 + 1 }) })

  t.equal(fits.reason, 'FitsSharedReplica')
  t.match(
    fits.sentence,
    /main nvidia\.com\/gpu 1 -> nvidia\.com\/gpu\.shared 1 .*; an MPS replica has a memory limit/
  )
  t.match(tooLarge, { kind: 'keep', reason: 'PeakTooLarge' })
})

t.test(
  '[DEC35] what has a limit of memory comes before what has none, and hardware before both',
  async (t) => {
    const usage = aUsage({ peakMiB: 3000 })
    const sliced = aSharedNode({ name: 'sliced', product: 'Tesla-T4', memoryMiB: 15_360 })
    const nodes = [sliced, anMpsNode({ name: 'mps' })]

    const soft = decided({ usage, nodes })
    const hard = decided({ usage, nodes: [...nodes, aMigNode({ name: 'mig' })] })

    t.match(soft, { nodeSelector: { 'nvidia.com/gpu.sharing-strategy': 'mps' } })
    t.equal(hard.reason, 'FitsMigProfile')
  }
)

t.test('[DEC22] a pin to a shared replica takes one of MPS too', async (t) => {
  const pod = aPod({ annotations: { 'rightslice.dev/pin': 'shared' } })
  const policies = [aPolicy({ mps: list, exemptions: { allowPin: true } })]

  t.match(decided({ pod, policies, nodes: [anMpsNode()], usage: undefined }), {
    kind: 'rewrite',
    reason: 'PinnedToSlice',
    changes: [{ share: 'shared', resource: 'nvidia.com/gpu.shared' }]
  })
})

t.test('[DEC42] a namespace that is not listed is told which list', async (t) => {
  t.match(decided({ policies: [aPolicy()], nodes: [anMpsNode()] }), {
    kind: 'keep',
    reason: 'MpsNotListed',
    sentence: 'namespace team-a is not in mps.namespaces'
  })
})

t.test('[RULE8] a pod in the IPC namespace of the host is given no replica', async (t) => {
  const pod = aPod({ spec: { hostIPC: true } })

  t.match(decided({ pod, nodes: [anMpsNode()], usage: aUsage({ peakMiB: 3000 }) }), {
    kind: 'keep',
    reason: 'BreaksIsolation'
  })
})
