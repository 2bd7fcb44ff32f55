import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { toJsonPatch } from '../../../src/core/patch/to-json-patch.ts'
import { toEffectivePolicy } from '../../../src/core/policy/effective-policy.ts'
import { anExemption } from '../../build/exemption.ts'
import { anInput, type InputSpec, NOW_MS } from '../../build/input.ts'
import { aMigNode, aNode, aSharedNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy, aRawPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const timeSlicing = { namespaces: ['team-a'], maxReplicas: 4 }
const sharedOk = { 'rightslice.dev/isolation': 'shared-ok' }
const both = [aMigNode({ name: 'mig' }), aSharedNode({ name: 'shared' })]
const invalid = toEffectivePolicy(aRawPolicy({ name: 'broken', priority: 9, mig: { headroom: 'much' } }))

t.test('the smallest slice that holds the peak plus headroom takes the place of the whole GPU', async (t) => {
  const decision = decide(anInput({ policies: [aPolicy({ mig: { headroom: '20%' } })] }))

  t.equal(decision.reason, 'FitsMigProfile')
  t.match(decision, {
    kind: 'rewrite',
    notices: [],
    changes: [{ resource: 'nvidia.com/mig-1g.10gb', share: 'mig-1g.10gb', container: { name: 'main' } }],
    nodeSelector: {},
    methods: [{ name: 'mig-mixed' }],
    repeated: false
  })
  t.strictSame(decision.evidence, {
    policy: 'standard',
    workload: { kind: 'Pod', name: 'app-0' },
    snapshot: 'standard@1 Pod/app-0@1',
    findings: [
      {
        container: 'main',
        peakMiB: 5200,
        neededMiB: 6240,
        headroomRatio: 0.2,
        coverageSeconds: 1_209_600,
        neededCompute: undefined,
        considered: [
          {
            share: 'mig-1g.10gb',
            resource: 'nvidia.com/mig-1g.10gb',
            requires: {},
            usableMiB: 9728,
            computeRatio: 16 / 132,
            verdict: 'fits'
          }
        ]
      }
    ]
  })
})

const table: readonly { name: string; input: InputSpec; want: string; says?: string }[] = [
  {
    name: '[DEC16] a policy with rewriting off',
    input: { policies: [aPolicy({ admission: { rewrite: 'Off' } })], usage: undefined },
    want: 'RewriteOff',
    says: 'policy standard has rewriting off'
  },
  {
    name: '[DEC16] a policy with rewriting off, before every other reason',
    input: {
      policies: [aPolicy({ admission: { rewrite: 'Off' } })],
      pod: aPod({ nodeName: 'x', annotations: { 'rightslice.dev/pin': 'nonsense' } })
    },
    want: 'RewriteOff'
  },
  {
    name: '[DEC17] a policy that only proposes',
    input: { policies: [aPolicy({ mode: 'Propose' })] },
    want: 'ProposeOnly',
    says: 'policy standard only proposes: main nvidia.com/gpu 1 -> nvidia.com/mig-1g.10gb 1'
  },
  {
    name: '[DEC17] a policy whose rewriting only warns',
    input: { policies: [aPolicy({ admission: { rewrite: 'Warn' } })] },
    want: 'ProposeOnly'
  },
  {
    name: '[DEC17] a namespace that only warns',
    input: { namespaceLabels: { 'rightslice.dev/rightsize': 'warn' } },
    want: 'ProposeOnly',
    says: 'namespace team-a only proposes: main'
  },
  {
    name: '[DEC17] a namespace that only warns, without history',
    input: { namespaceLabels: { 'rightslice.dev/rightsize': 'warn' }, usage: undefined },
    want: 'NoHistory'
  },
  {
    name: '[DEC17] Propose with rewriting enforced',
    input: { policies: [aPolicy({ mode: 'Propose', admission: { rewrite: 'Enforce' } })] },
    want: 'ProposeOnly',
    says: 'policy standard only proposes'
  },
  {
    name: '[DEC15] an invalid policy and no other',
    input: { policies: [invalid] },
    want: 'PolicyInvalid',
    says: 'policy broken is invalid and switched off: spec.mig.headroom'
  },
  {
    name: '[DEC15] an invalid policy whose faults nobody tells',
    input: { policies: [{ ...invalid, ...(invalid.kind === 'invalid' ? { faults: [] } : {}) }] },
    want: 'PolicyInvalid',
    says: 'policy broken is invalid and switched off'
  },
  {
    name: '[DEC18] a bad annotation, before reasons of the pod’s own',
    input: { pod: aPod({ nodeName: 'x', annotations: { 'rightslice.dev/pin': 'x' } }) },
    want: 'AnnotationInvalid'
  },
  {
    name: '[DEC19] sharing never',
    input: { pod: aPod({ annotations: { 'rightslice.dev/sharing': 'never' } }) },
    want: 'OptedOut',
    says: 'rightslice.dev/sharing is never'
  },
  {
    name: '[DEC19] sharing never, before a pin',
    input: {
      pod: aPod({ annotations: { 'rightslice.dev/sharing': 'never', 'rightslice.dev/pin': 'mig-1g.10gb' } })
    },
    want: 'OptedOut'
  },
  {
    name: '[DEC19] sharing any',
    input: { pod: aPod({ annotations: { 'rightslice.dev/sharing': 'any' } }) },
    want: 'FitsMigProfile'
  },
  {
    name: '[DEC44] a replica, where the policy puts time-slicing first',
    input: {
      nodes: both,
      policies: [aPolicy({ timeSlicing, methods: ['time-slicing', 'mig-mixed'] })],
      namespaceLabels: sharedOk,
      usage: aUsage({ peakMiB: 1000 })
    },
    want: 'FitsSharedReplica'
  },
  {
    name: '[DEC35] a slice in place of a smaller replica, where the policy says nothing',
    input: {
      nodes: both,
      policies: [aPolicy({ timeSlicing })],
      namespaceLabels: sharedOk,
      usage: aUsage({ peakMiB: 1000 })
    },
    want: 'FitsMigProfile'
  },
  {
    name: '[DEC19] a slice in place of a smaller replica for sharing mig',
    input: {
      nodes: both,
      policies: [aPolicy({ timeSlicing, methods: ['time-slicing', 'mig-mixed'] })],
      namespaceLabels: sharedOk,
      usage: aUsage({ peakMiB: 1000 }),
      pod: aPod({ annotations: { 'rightslice.dev/sharing': 'mig' } })
    },
    want: 'FitsMigProfile'
  }
]

for (const { name, input, want, says } of table) {
  t.test(`${name}: ${want}`, async (t) => {
    const decision = decide(anInput(input))

    t.equal(decision.reason, want, decision.sentence)
    t.ok(decision.sentence.includes(says ?? ''), decision.sentence)
  })
}

t.test('[DEC17] what is only proposed is decided in full and changes nothing', async (t) => {
  for (const input of [
    { namespaceLabels: { 'rightslice.dev/rightsize': 'warn' } },
    { policies: [aPolicy({ mode: 'Propose' })] },
    { namespaceLabels: { 'rightslice.dev/rightsize': 'warn' }, usage: undefined },
    { policies: [aPolicy({ mode: 'Propose' })], pod: aPod({ nodeName: 'x' }) }
  ]) {
    const decision = decide(anInput(input))

    t.equal(decision.kind === 'keep' && decision.marks, 'removed')
    t.strictSame(toJsonPatch(input.pod ?? aPod(), decision), [])
  }
})

t.test('[DEC17] a proposal holds the whole rewrite and its evidence', async (t) => {
  const decision = decide(anInput({ policies: [aPolicy({ mode: 'Propose' })] }))
  const enforced = decide(anInput())

  t.strictSame(decision.kind === 'keep' && decision.proposed, enforced)
  t.strictSame(decision.evidence.findings, enforced.evidence.findings)
})

t.test(
  '[DEC15] an invalid policy of higher rank leaves a notice on the pod, whatever is decided',
  async (t) => {
    const policies = [aPolicy(), invalid]

    for (const input of [{}, { usage: undefined }, { nodes: [aMigNode({ profiles: {} })] }]) {
      const decision = decide(anInput({ policies, ...input }))

      t.equal(decision.evidence.policy, 'standard')
      t.equal(decision.notices.length, 1)
      t.match(decision.notices[0], /^policy broken is invalid and switched off: spec.mig.headroom /)
    }
  }
)

t.test('[POL16] the policy of higher priority governs', async (t) => {
  const policies = [
    aPolicy({ name: 'a', mig: { headroom: '10%' } }),
    aPolicy({ name: 'b', priority: 1, mig: { headroom: '50%' } })
  ]

  const decision = decide(anInput({ policies }))

  t.equal(decision.evidence.policy, 'b')
  t.equal(decision.evidence.findings[0]?.neededMiB, 7800)
})

t.test('[DEC15] without a policy, what is written follows the namespace', async (t) => {
  const marksIn = (level: string): string | false => {
    const decision = decide(anInput({ policies: [], namespaceLabels: { 'rightslice.dev/rightsize': level } }))
    return decision.kind === 'keep' && decision.marks
  }

  t.strictSame(['enforce', 'warn'].map(marksIn), ['written', 'removed'])
})

t.test('[DEC2] the input stays as it was', async (t) => {
  const input = anInput()
  const before = JSON.stringify(input)

  decide(input)

  t.equal(JSON.stringify(input), before)
})

t.test('a GPU container without a number of its own in the history keeps the findings of none', async (t) => {
  const decision = decide(anInput({ usage: aUsage({ container: 'other' }) }))

  t.strictSame(decision.evidence.findings, [])
})

t.test('[DEC51] a pod with more than 200 GPU containers is kept at once', async (t) => {
  const initContainers = Array.from({ length: 200 }, (_, nth) => ({
    name: `init-${nth}`,
    resources: { limits: { 'nvidia.com/gpu': '1' } }
  }))
  const reasonOf = (count: number) =>
    decide(anInput({ pod: aPod({ initContainers: initContainers.slice(0, count) }) }))

  t.not(reasonOf(199).reason, 'SeveralGpuContainers')
  t.equal(reasonOf(200).reason, 'SeveralGpuContainers')
  t.match(reasonOf(200).sentence, /^201 containers ask for a GPU, more than the 200/)
})

t.test(
  '[DEC51] a pod with very many wishes about nodes is kept at once, a claimed original or not',
  async (t) => {
    const values = Array.from({ length: 201 }, (_, index) => `node-${index}`)
    const nodeTerms = [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }] }]
    const annotations = { 'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}' }

    const plain = decide(anInput({ pod: aPod({ nodeTerms }) }))
    const claiming = decide(anInput({ pod: aPod({ nodeTerms, annotations }) }))

    t.equal(plain.reason, 'PlacementTooComplex')
    t.match(plain.sentence, /have 203 parts, more than the 200/)
    t.equal(claiming.reason, 'PlacementTooComplex')
  }
)

t.test(
  '[POL16] a policy whose nodes are still to come governs pods that would be let onto them',
  async (t) => {
    const pool = { pool: 'gpu' }
    const policies = [aPolicy({ nodeSelector: pool, mig: { headroom: '20%', provisionable: ['1g.10gb'] } })]
    const cpuNode = aNode({ name: 'cpu', labels: { pool: 'cpu' }, allocatable: {} })
    const reasonFor = (nodeSelector: Record<string, string>) =>
      decide(anInput({ pod: aPod({ nodeSelector }), nodes: [cpuNode], policies })).reason

    t.equal(reasonFor({}), 'FitsMigProfile')
    t.equal(reasonFor(pool), 'FitsMigProfile')
    t.equal(reasonFor({ pool: 'other' }), 'NoPolicyMatches')
  }
)

t.test('a policy whose nodes are all away is named', async (t) => {
  const policies = [aPolicy({ name: 'dc1', nodeSelector: { pool: 'gpu' } })]

  const { reason, sentence } = decide(anInput({ policies }))

  t.equal(reason, 'NoPolicyMatches')
  t.equal(sentence, 'no ready node matches the nodeSelector of policy dc1')
})

const staleSettings = { staleAfterMs: 300_000 }

for (const { name, heardMs, settings, reason } of [
  { name: 'at the bound', heardMs: NOW_MS - 300_000, settings: staleSettings, reason: 'FitsMigProfile' },
  { name: 'beyond the bound', heardMs: NOW_MS - 300_001, settings: staleSettings, reason: 'StaleCache' },
  { name: 'without a bound', heardMs: 0, settings: {}, reason: 'FitsMigProfile' },
  { name: 'where age does not count', heardMs: undefined, settings: staleSettings, reason: 'FitsMigProfile' }
]) {
  t.test(`[DEC53] ${name}: ${reason}`, async (t) => {
    t.equal(decide({ ...anInput({ settings }), heardMs }).reason, reason)
  })
}

t.test('[DEC53] a pod that is kept because nothing is heard says so, and for how long', async (t) => {
  const input = { ...anInput({ settings: staleSettings, policies: [invalid] }), heardMs: NOW_MS - 412_000 }

  t.match(decide(input), {
    kind: 'keep',
    reason: 'StaleCache',
    marks: 'written',
    sentence: 'the API server was not heard of for 412 s, more than 300 s'
  })
})

t.test(
  '[DEC53] what is none of our business stays so, and where only warned is nothing is written',
  async (t) => {
    const heardMs = 0
    const out = anInput({ settings: staleSettings, namespaceLabels: { 'rightslice.dev/rightsize': 'off' } })
    const warned = anInput({
      settings: staleSettings,
      namespaceLabels: { 'rightslice.dev/rightsize': 'warn' }
    })

    t.equal(decide({ ...out, heardMs }).reason, 'NamespaceNotOptedIn')
    t.match(decide({ ...warned, heardMs }), { reason: 'StaleCache', marks: 'removed' })
  }
)

t.test('[DEC52] an exemption from Rewrite keeps the whole GPU, until it ends', async (t) => {
  const exemption = anExemption({ workloadRef: { kind: 'Pod', name: 'app-0' } })
  const input = anInput()

  t.match(decide({ ...input, exemptions: [exemption] }), {
    kind: 'keep',
    reason: 'Exempt',
    sentence: 'GpuExemption load-test keeps its whole GPU'
  })
  t.equal(decide({ ...input, exemptions: [exemption], nowMs: exemption.expiresMs }).reason, 'FitsMigProfile')
})
