import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision } from '../../../src/core/decision/decision.ts'
import { auditAnnotationsOf, warningsOf } from '../../../src/core/decision/tell.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aSharedNode, aSingleNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const policies = [aPolicy({ mig: { headroom: '20%' } })]

function told(input: InputSpec = {}): readonly string[] {
  return warningsOf(decide(anInput({ policies, ...input })))
}

t.test('[DEC48] a rewrite names old and new request, the peak and the way back', async (t) => {
  t.strictSame(told(), [
    'rightslice: container "main" gets nvidia.com/mig-1g.10gb instead of nvidia.com/gpu (peak 5.1Gi + 20%)',
    'rightslice: why: rightslice explain --reason FitsMigProfile; keep a whole GPU: rightslice.dev/sharing: never'
  ])
})

t.test('[DEC48] a slice that keeps the name of a whole GPU is told by its own', async (t) => {
  t.equal(
    told({ nodes: [aSingleNode()] })[0],
    'rightslice: container "main" gets a slice mig-1g.10gb instead of nvidia.com/gpu (peak 5.1Gi + 20%)'
  )
})

t.test(
  '[DEC48] the way back that is told keeps a whole GPU, whether or not the policy obeys pins',
  async (t) => {
    const [key = '', value = ''] = told()[1]?.split('keep a whole GPU: ')[1]?.split(': ') ?? []
    for (const allowPin of [true, false]) {
      const policies = [aPolicy({ exemptions: { allowPin } })]
      for (const pin of [undefined, 'mig-1g.10gb']) {
        const annotations = { [key]: value, ...(pin === undefined ? {} : { 'rightslice.dev/pin': pin }) }

        t.equal(decide(anInput({ policies, pod: aPod({ annotations }) })).reason, 'OptedOut')
      }
    }
  }
)

t.test('[DEC48] a need that is no sum of peak and headroom is told as it is', async (t) => {
  const raised = aPod({ annotations: { 'rightslice.dev/min-memory': '9Gi' } })

  t.match(told({ pod: raised })[0], / instead of nvidia\.com\/gpu \(peak 5\.1Gi, needs 9Gi\)$/)
  t.match(told({ usage: aUsage({ peakMiB: 5000, neededMiB: 7000 }) })[0], /\(peak 4\.9Gi, needs 6\.8Gi\)$/)
})

t.test('[DEC48] a replica is called shared', async (t) => {
  const input = {
    nodes: [aSharedNode()],
    namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
    policies: [aPolicy({ timeSlicing: { namespaces: ['team-a'], maxReplicas: 4 } })],
    usage: aUsage({ peakMiB: 100 })
  }

  t.match(told(input)[0], 'gets a shared nvidia.com/gpu.shared instead of')
})

t.test('[DEC48] a pinned share has no peak', async (t) => {
  const pod = aPod({ annotations: { 'rightslice.dev/pin': 'mig-1g.10gb' } })

  t.equal(
    told({ pod })[0],
    'rightslice: container "main" gets nvidia.com/mig-1g.10gb instead of nvidia.com/gpu'
  )
})

t.test('[DEC17] a proposal says what would be done and that nothing is', async (t) => {
  t.strictSame(told({ namespaceLabels: { 'rightslice.dev/rightsize': 'warn' } }), [
    'rightslice: container "main" would get nvidia.com/mig-1g.10gb instead of nvidia.com/gpu (peak 5.1Gi + 20%)',
    'rightslice: nothing changes: ProposeOnly'
  ])
})

t.test('[DEC48] a kept pod has its reason and sentence', async (t) => {
  t.strictSame(told({ usage: undefined }), [
    'rightslice: GPU request unchanged, NoHistory: no use of GPU memory is known for container main'
  ])
})

t.test('[DEC48] pods that are none of our business hear nothing', async (t) => {
  t.strictSame(told({ pod: aPod({ containers: [{ limits: {} }] }) }), [])
  t.strictSame(told({ operation: 'UPDATE' }), [])
})

t.test('[DEC48] warnings cleaned: they are printable, short, few and told once', async (t) => {
  const decision: Decision = {
    ...decide(anInput({ usage: undefined })),
    sentence: `ünïcode 😀\nand ${'long '.repeat(60)}`,
    notices: ['twice', 'twice', 'a', 'b', 'c', 'd', 'e']
  }

  const lines = warningsOf(decision)

  t.equal(lines.length, 5)
  t.equal(lines[0]?.length, 120)
  t.match(lines[0], /^rightslice: GPU request unchanged, NoHistory: +n code +and long [ -~]*$/)
  t.ok(lines[0]?.endsWith('...'))
  t.strictSame(
    lines.slice(1),
    ['twice', 'a', 'b', 'c'].map((notice) => `rightslice: ${notice}`)
  )
})

t.test('a line of exactly the greatest length stays whole', async (t) => {
  const prefix = 'rightslice: GPU request unchanged, NoHistory: '
  const decision = { ...decide(anInput({ usage: undefined })), sentence: 'x'.repeat(120 - prefix.length) }

  t.ok(warningsOf(decision)[0]?.endsWith('xxx'))
})

t.test('the audit log gets decision, reason, versions, workload and policy', async (t) => {
  t.strictSame(auditAnnotationsOf(decide(anInput())), {
    decision: 'rewrite',
    reason: 'FitsMigProfile',
    snapshot: 'standard@1 Pod/app-0@1',
    workload: 'Pod/app-0',
    policy: 'standard'
  })
  t.strictSame(auditAnnotationsOf(decide(anInput({ policies: [] }))), {
    decision: 'keep',
    reason: 'NoPolicyMatches',
    snapshot: 'no-policy Pod/app-0@1',
    workload: 'Pod/app-0'
  })
})

t.test('the audit log is told a workload of any name in a short line', async (t) => {
  const owner = { kind: 'StatefulSet', name: `a\n${'x'.repeat(100_000)}` }

  const { workload = '' } = auditAnnotationsOf(decide(anInput({ pod: aPod({ owner }) })))

  t.equal(workload.length, 300)
  t.match(workload, /^StatefulSet\/a\?x+\.\.\.$/)
})
