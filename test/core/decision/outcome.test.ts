import t from 'tap'
import { reasonCodes, reasons } from '../../../src/core/api/reasons.ts'
import { anySize } from '../../../src/core/decision/assign.ts'
import { decide } from '../../../src/core/decision/decide.ts'
import { needOf } from '../../../src/core/decision/need.ts'
import { isChosen, keep, toRewrite } from '../../../src/core/decision/outcome.ts'
import { candidatesOf } from '../../../src/core/sharing/candidates.ts'
import { anInput } from '../../build/input.ts'
import { aSharedNode, aSingleNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { anEffectivePolicy, aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

for (const reason of reasonCodes) {
  t.test(`[DEC47] marks of a pod that is kept for ${reason} follow the reason`, async (t) => {
    const refusal = { reason, sentence: 'why' }
    const { marks } = reasons[reason]

    t.equal(keep(anInput(), refusal, { enforced: true }).marks, marks)
    t.equal(keep(anInput(), refusal).marks, marks === 'written' ? 'removed' : marks)
  })
}

t.test('a kept pod has what is known besides, and nothing proposed', async (t) => {
  const policy = anEffectivePolicy({ name: 'gold', generation: 7 })

  const kept = keep(anInput(), { reason: 'NoHistory', sentence: 'why' }, { policy, notices: ['n'] })

  t.strictSame(kept, {
    kind: 'keep',
    reason: 'NoHistory',
    sentence: 'why',
    notices: ['n'],
    marks: 'removed',
    proposed: undefined,
    evidence: {
      policy: 'gold',
      workload: { kind: 'Pod', name: 'app-0' },
      snapshot: 'gold@7 Pod/app-0@1',
      findings: []
    }
  })
})

t.test(
  '[DEC46] the snapshot names policy and workload with their versions, or says that there is none',
  async (t) => {
    const refusal = { reason: 'NoHistory', sentence: 'why' } as const

    t.equal(keep(anInput({ usage: undefined }), refusal).evidence.snapshot, 'no-policy no-history')
  }
)

t.test(
  '[DEC44] [DEC45] a replica is named as shared, with what time-slicing does not separate',
  async (t) => {
    const decideOn = (renamed: boolean): ReturnType<typeof decide> =>
      decide(
        anInput({
          nodes: [aSharedNode({ renamed })],
          namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
          policies: [
            aPolicy({ mig: { headroom: '20%' }, timeSlicing: { namespaces: ['team-a'], maxReplicas: 4 } })
          ],
          usage: aUsage({ peakMiB: 3900 })
        })
      )

    const renamed = decideOn(true)
    const sameName = decideOn(false)

    const rest = 'time slice has no memory limit and no fault isolation'
    const numbers = '(peak 3900Mi + 20% = 4.6Gi, holds 5.6Gi)'
    t.equal(renamed.reason, 'FitsSharedReplica')
    t.equal(renamed.sentence, `main nvidia.com/gpu 1 -> nvidia.com/gpu.shared 1 ${numbers}; a ${rest}`)
    const where = 'on nodes with nvidia.com/gpu.sharing-strategy=time-slicing'
    t.equal(
      sameName.sentence,
      `main nvidia.com/gpu 1 -> nvidia.com/gpu (shared) 1 ${where} ${numbers}; a ${rest}`
    )
    t.strictSame(renamed.kind === 'rewrite' && renamed.nodeSelector, {})
    t.strictSame(sameName.kind === 'rewrite' && sameName.nodeSelector, {
      'nvidia.com/gpu.sharing-strategy': 'time-slicing'
    })
  }
)

t.test('[DEC45] every container has its part of the sentence', async (t) => {
  const decision = decide(
    anInput({
      pod: aPod({ containers: [{ name: 'a' }, { name: 'b' }] }),
      usage: aUsage({ container: 'a', peakMiB: 1000 }, { container: 'b', peakMiB: 2000 })
    })
  )

  t.match(decision.sentence, /^a nvidia.com\/gpu 1 -> .*; b nvidia.com\/gpu 1 -> .*; memory, compute/)
  t.strictSame(decision.kind === 'rewrite' && decision.methods.length, 1)
})

t.test('a share of unknown memory is told all the same', async (t) => {
  const input = anInput({ policies: [aPolicy({ mig: { headroom: '20%' } })] })
  const policy = anEffectivePolicy({ mig: { headroom: '20%' } })
  const [container] = input.pod.containers
  const [candidate] = candidatesOf(input.nodes.classes)
  if (container === undefined || candidate === undefined) throw new Error('the builders give one of each')
  const wishes = {
    pin: undefined,
    minMemoryMiB: undefined,
    headroomRatio: undefined,
    sharing: 'any'
  } as const
  const need = needOf(container, { usage: input.usage, policy, wishes })
  const assignments = [
    {
      container,
      candidate: { ...candidate, usableMiB: undefined },
      demand: anySize(container)
    }
  ]

  const rewrite = toRewrite(input, {
    reason: 'FitsMigProfile',
    policy,
    assignments,
    needs: need.kind === 'need' ? [need] : [],
    findings: [],
    notices: []
  })

  t.match(rewrite.sentence, 'holds 0Mi')
})

t.test('of slices with one name on two products the one that is given is marked, and it alone', async (t) => {
  const nodes = ['NVIDIA-H100-80GB-HBM3', 'NVIDIA-A100-SXM4-80GB'].map((product) =>
    aSingleNode({ name: product.toLowerCase(), product, slice: {} })
  )
  const decision = decide(anInput({ nodes }))

  const considered = decision.evidence.findings[0]?.considered ?? []
  const change = decision.kind === 'rewrite' ? decision.changes[0] : undefined
  const chosen = considered.filter((candidate) => isChosen(candidate, change))

  t.equal(considered.length, 2)
  t.strictSame(
    chosen.map(({ requires }) => requires),
    [{ 'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB-MIG-1g.10gb' }]
  )
  t.notOk(considered.some((candidate) => isChosen(candidate, undefined)))
})
