import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { tellNeed, withHeadroom } from '../../../src/core/decision/need.ts'
import { anInput } from '../../build/input.ts'
import { aMigNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage, type UsageSpec } from '../../build/usage.ts'

const rounding = [
  [5200, 0.2, 6240],
  [7000, 0.2, 8400],
  [900, 0.2, 1080],
  [1000, 0, 1000],
  [1001, 0.2, 1202],
  [1, 0.2, 2],
  [10, 0.1, 11],
  [5, 0.1, 6],
  [3, 0.3, 4],
  [100, 5, 600],
  [1000.5, 0, 1001],
  [1000 + 1 / 1_048_576, 0, 1001],
  [81_920, 0.15, 94_208],
  [0, 0.2, 0]
] as const

for (const [peakMiB, headroomRatio, want] of rounding) {
  t.test(`[DEC30] ${peakMiB} MiB and ${headroomRatio} need ${want} MiB`, async (t) => {
    t.equal(withHeadroom(peakMiB, headroomRatio), want)
  })
}

t.test('[DEC45] a need is told as a sum only where it is one', async (t) => {
  const sum = { peakMiB: 5200, headroomRatio: 0.2, neededMiB: 6240 }
  const raised = { ...sum, neededMiB: 9216 }

  t.equal(tellNeed(sum), 'peak 5.1Gi + 20% = 6.1Gi')
  t.equal(tellNeed(sum, 'short'), 'peak 5.1Gi + 20%')
  t.equal(tellNeed(raised), 'peak 5.1Gi, needs 9Gi')
  t.equal(tellNeed(raised, 'short'), 'peak 5.1Gi, needs 9Gi')
})

const noEvidence: readonly { name: string; usage: UsageSpec; want: string; says: string }[] = [
  {
    name: '[DEC24] another container’s history',
    usage: { container: 'sidecar' },
    want: 'NoHistory',
    says: 'container main'
  },
  { name: '[DEC24] a peak of zero', usage: { peakMiB: 0 }, want: 'NoHistory', says: 'container main' },
  {
    name: '[DEC25] samples of a shared device',
    usage: { evidence: 'shared-device' },
    want: 'NoPerPodHistoryOnSharedGpu',
    says: 'shared GPU'
  },
  {
    name: '[DEC26] a history marked as self-sizing',
    usage: { evidence: 'self-sizing', peakMiB: 73_728, deviceMiB: 81_920 },
    want: 'SelfSizing',
    says: '72Gi (0.90 of the device): a fixed fraction of its device'
  },
  {
    name: '[DEC27] a peak marked as cut off',
    usage: { evidence: 'censored' },
    want: 'CensoredHistory',
    says: '5.1Gi'
  },
  {
    name: '[DEC27] a peak at 95 % of its device',
    usage: { peakMiB: 7783, deviceMiB: 8192 },
    want: 'CensoredHistory',
    says: '7.6Gi of 8Gi'
  },
  {
    name: '[DEC28] too little of it',
    usage: { coverage: '71h' },
    want: 'TooLittleHistory',
    says: '2d23h of history'
  },
  {
    name: '[DEC28] none but one sample',
    usage: { coverage: '0s' },
    want: 'TooLittleHistory',
    says: 'asks for 3d'
  }
]

for (const { name, usage, want, says } of noEvidence) {
  t.test(`${name} is no evidence`, async (t) => {
    const decision = decide(anInput({ usage: aUsage(usage) }))

    t.equal(decision.kind, 'keep')
    t.equal(decision.reason, want)
    t.ok(decision.sentence.includes(says), decision.sentence)
  })
}

t.test('[DEC24] a workload that nothing is known of keeps its GPU', async (t) => {
  const decision = decide(anInput({ usage: undefined }))

  t.equal(decision.reason, 'NoHistory')
  t.equal(decision.evidence.snapshot, 'standard@1 no-history')
})

t.test('[DEC27] a peak just below 95 % of its device is evidence', async (t) => {
  const nodes = [aMigNode({ profiles: { '2g.20gb': { count: 3, memoryMiB: 19_968 } } })]

  const decision = decide(anInput({ nodes, usage: aUsage({ peakMiB: 7782, deviceMiB: 8192 }) }))

  t.equal(decision.reason, 'FitsMigProfile')
})

t.test('[DEC28] exactly the coverage that the policy asks for is enough', async (t) => {
  const policies = [aPolicy({ history: { minCoverage: '72h' } })]

  t.equal(decide(anInput({ policies, usage: aUsage({ coverage: '3d' }) })).kind, 'rewrite')
})

t.test('evidence is judged shared first, then self-sizing, censored, too little', async (t) => {
  const args = ['--gpu-memory-utilization=0.9']
  const usage = { peakMiB: 8000, deviceMiB: 8192, coverage: '1h' }
  const reasonOf = (spec: UsageSpec, words: readonly string[] = []): string =>
    decide(anInput({ usage: aUsage(spec), pod: aPod({ containers: [{ args: words }] }) })).reason

  t.strictSame(
    [
      reasonOf({ ...usage, evidence: 'shared-device' }, args),
      reasonOf(usage, args),
      reasonOf(usage),
      reasonOf({ ...usage, peakMiB: 1 })
    ],
    ['NoPerPodHistoryOnSharedGpu', 'SelfSizing', 'CensoredHistory', 'TooLittleHistory']
  )
})

const wished: readonly {
  name: string
  annotations: Record<string, string>
  neededMiB: number
  headroom: number
}[] = [
  { name: 'nothing', annotations: {}, neededMiB: 6240, headroom: 0.2 },
  { name: 'more headroom', annotations: { headroom: '50%' }, neededMiB: 7800, headroom: 0.5 },
  { name: 'less headroom', annotations: { headroom: '5%' }, neededMiB: 6240, headroom: 0.2 },
  { name: 'a higher floor', annotations: { 'min-memory': '9Gi' }, neededMiB: 9216, headroom: 0.2 },
  { name: 'a lower floor', annotations: { 'min-memory': '1Gi' }, neededMiB: 6240, headroom: 0.2 },
  {
    name: 'a floor with a fraction',
    annotations: { 'min-memory': '7000000Ki' },
    neededMiB: 6836,
    headroom: 0.2
  },
  {
    name: 'both, the floor below',
    annotations: { headroom: '50%', 'min-memory': '7Gi' },
    neededMiB: 7800,
    headroom: 0.5
  },
  {
    name: 'both, the floor above',
    annotations: { headroom: '50%', 'min-memory': '8Gi' },
    neededMiB: 8192,
    headroom: 0.5
  }
]

for (const { name, annotations, neededMiB, headroom } of wished) {
  t.test(`[DEC30] [DEC31] wishing for ${name} gives a need of ${neededMiB} MiB`, async (t) => {
    const prefixed = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`rightslice.dev/${key}`, value])
    )

    const decision = decide(anInput({ pod: aPod({ annotations: prefixed }) }))

    t.equal(decision.kind, 'rewrite')
    const [finding] = decision.evidence.findings
    t.equal(finding?.neededMiB, neededMiB)
    t.equal(finding?.headroomRatio, headroom)
    t.equal(finding?.peakMiB, 5200)
    t.equal(finding?.coverageSeconds, 14 * 86_400)
  })
}

t.test('[DEC31] the headroom of the policy counts', async (t) => {
  const decision = decide(anInput({ policies: [aPolicy({ mig: { headroom: '50%' } })] }))

  t.equal(decision.evidence.findings[0]?.neededMiB, 7800)
})

t.test('[DEC32] compute needs a fifth more than its peak, where it was measured and counts', async (t) => {
  const neededIn = (compute: object, usage: UsageSpec): number | undefined =>
    decide(anInput({ policies: [aPolicy({ compute })], usage: aUsage(usage) })).evidence.findings[0]
      ?.neededCompute

  t.equal(neededIn({}, { peakComputeRatio: 0.1 }), 0.12)
  t.equal(neededIn({}, {}), undefined)
  t.equal(neededIn({ fit: 'Ignore' }, { peakComputeRatio: 0.1 }), undefined)
})

const busy: readonly { name: string; compute: object; ratio: number; want: string }[] = [
  {
    name: 'above the bound',
    compute: { busyAbove: '0.8', fit: 'Ignore' },
    ratio: 0.97,
    want: 'ComputeTooHigh'
  },
  { name: 'at the bound', compute: { busyAbove: '0.8', fit: 'Ignore' }, ratio: 0.8, want: 'FitsMigProfile' },
  { name: 'without a bound', compute: { fit: 'Ignore' }, ratio: 0.97, want: 'FitsMigProfile' },
  {
    name: 'above the bound, though it would fit',
    compute: { busyAbove: '5%' },
    ratio: 0.1,
    want: 'ComputeTooHigh'
  }
]

for (const { name, compute, ratio, want } of busy) {
  t.test(`[DEC29] a container that is busy ${name}: ${want}`, async (t) => {
    const decision = decide(
      anInput({ policies: [aPolicy({ compute })], usage: aUsage({ peakComputeRatio: ratio }) })
    )

    t.equal(decision.reason, want)
    t.equal(decision.evidence.findings.length, 1)
    if (want === 'ComputeTooHigh')
      t.match(decision.sentence, `DCGM_FI_PROF_GR_ENGINE_ACTIVE is ${ratio}, above`)
  })
}

t.test('[DEC29] a container without a measured peak is not busy', async (t) => {
  t.equal(decide(anInput({ policies: [aPolicy({ compute: { busyAbove: '0.8' } })] })).kind, 'rewrite')
})

const obstacles = [
  { obstacle: 'ran-out-of-memory', reason: 'RanOutOfMemory' },
  { obstacle: 'under-one-season', reason: 'TooLittleHistory' },
  { obstacle: 'self-sizing', reason: 'SelfSizing' },
  { obstacle: 'censored', reason: 'CensoredHistory' },
  { obstacle: 'no-history', reason: 'NoHistory' }
] as const

for (const { obstacle, reason } of obstacles) {
  t.test(`[DEC28] the obstacle ${obstacle} keeps the pod`, async (t) => {
    t.equal(decide(anInput({ usage: aUsage({ peakMiB: 3000, obstacle }) })).reason, reason)
  })
}

t.test(
  '[DEC30] what the estimator asks for, and the size that it holds, raise a need and never lower it',
  async (t) => {
    const neededWith = (more: { neededMiB?: number; sizeFloorMiB?: number }) =>
      decide(anInput({ usage: aUsage({ peakMiB: 5000, ...more }) })).evidence.findings[0]?.neededMiB

    t.equal(neededWith({}), 6000)
    t.equal(neededWith({ neededMiB: 7000 }), 7000)
    t.equal(neededWith({ neededMiB: 5500 }), 6000)
    t.equal(neededWith({ sizeFloorMiB: 9000.5 }), 9001)
    t.equal(neededWith({ neededMiB: 7000, sizeFloorMiB: 6500 }), 7000)
  }
)

t.test('[DEC30] when only the size that is held stands in the way, the reason says so', async (t) => {
  const decision = decide(anInput({ usage: aUsage({ peakMiB: 3000, sizeFloorMiB: 70_000 }) }))

  t.equal(decision.reason, 'SizeNotSettled')
  t.match(decision.sentence, /keeps at least 68\.\dGi until a smaller size has held/)
})

t.test('a need that is no sum of peak and headroom is told as it is', async (t) => {
  const { sentence } = decide(anInput({ usage: aUsage({ peakMiB: 5000, neededMiB: 7000 }) }))

  t.match(sentence, /\(peak 4\.9Gi, needs 6\.8Gi, holds /)
})

t.test(
  '[DEC27] a peak at the ceiling of a slice steps up where the estimator asks for more than the slice',
  async (t) => {
    const atCeiling = { peakMiB: 4800, deviceMiB: 4864, obstacle: 'censored' } as const
    const decisionFor = (neededMiB: number) => decide(anInput({ usage: aUsage({ ...atCeiling, neededMiB }) }))

    t.equal(decisionFor(4864).reason, 'CensoredHistory')
    t.match(decisionFor(5840), { kind: 'rewrite', evidence: { findings: [{ neededMiB: 5840 }] } })
  }
)
