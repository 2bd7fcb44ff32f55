import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { Decision } from '../../../src/core/decision/decision.ts'
import { quotaCountsAdded, quotaCountsOf } from '../../../src/core/decision/quota-counts.ts'
import { applyStrictly } from '../../../src/core/patch/apply.ts'
import { toJsonPatch } from '../../../src/core/patch/to-json-patch.ts'
import { noLimits } from '../../../src/core/quota/namespace-limits.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aMigNode, aSharedNode } from '../../build/node.ts'
import { aPod, type PodSpec } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { type QuotaSpec, someLimits } from '../../build/quota.ts'
import { aUsage } from '../../build/usage.ts'

const WHOLE = 'requests.nvidia.com/gpu'
const SMALL = 'requests.nvidia.com/mig-1g.10gb'
const LARGE = 'requests.nvidia.com/mig-2g.20gb'
const nodes = [
  aMigNode({
    profiles: { '1g.10gb': { count: 4, memoryMiB: 9728 }, '2g.20gb': { count: 2, memoryMiB: 19_968 } }
  })
]

function decideWith(quotas: readonly QuotaSpec[], more: InputSpec = {}, inFlight = {}): Decision {
  return decide(anInput({ nodes, ...more, limits: someLimits({ quotas, inFlight }) }))
}

/** What the pod gets, or why it keeps its GPU. */
function outcome(decision: Decision): string {
  if (decision.kind === 'keep') return decision.reason
  return decision.changes.map(({ share }) => share).join(' ')
}

const gpuQuota: QuotaSpec = { name: 'gpu' }
const both = (small: readonly [string, string?], large: readonly [string, string?]): QuotaSpec => ({
  counts: { [SMALL]: small, [LARGE]: large }
})

const rows: readonly {
  name: string
  quotas: readonly QuotaSpec[]
  want: string
  says?: RegExp
  pod?: PodSpec
  inFlight?: Record<string, number>
  policy?: object
}[] = [
  { name: 'no quota', quotas: [], want: 'mig-1g.10gb' },
  { name: 'a quota of other things', quotas: [{ counts: { cpu: ['0', '0'] } }], want: 'mig-1g.10gb' },
  { name: 'a quota with room', quotas: [both(['1', '0'], ['1', '0'])], want: 'mig-1g.10gb' },
  {
    name: 'a quota of zero: the next candidate',
    quotas: [both(['0', '0'], ['1', '0'])],
    want: 'mig-2g.20gb'
  },
  {
    name: 'a quota that is full: the next candidate',
    quotas: [both(['3', '3'], ['1', '0'])],
    want: 'mig-2g.20gb'
  },
  {
    name: 'quotas that are all full',
    quotas: [both(['3', '3'], ['0', '0'])],
    want: 'QuotaWouldBlock',
    says: /^ResourceQuota gpu limits requests\.nvidia\.com\/mig-1g\.10gb and has 0 left$/
  },
  {
    name: 'a limit that was lowered below its use',
    quotas: [both(['1', '3'], ['0', '0'])],
    want: 'QuotaWouldBlock',
    says: /has 0 left/
  },
  { name: 'a quota that was never counted', quotas: [both(['5'], ['5'])], want: 'QuotaWouldBlock' },
  {
    name: 'a full quota of what is too small anyway',
    quotas: [{ counts: { 'requests.nvidia.com/mig-1g.5gb': ['0', '0'] } }],
    want: 'mig-1g.10gb'
  },
  {
    name: 'what is in flight counts',
    quotas: [both(['3', '1'], ['1', '0'])],
    inFlight: { [SMALL]: 2 },
    want: 'mig-2g.20gb'
  },
  {
    name: 'the tightest of several quotas',
    quotas: [both(['9', '0'], ['9', '0']), { name: 'tight', counts: { [SMALL]: ['1', '1'] } }],
    want: 'mig-2g.20gb'
  },
  {
    name: 'a scope that does not match',
    quotas: [{ ...both(['0', '0'], ['0', '0']), scopes: ['Terminating'] }],
    want: 'mig-1g.10gb'
  },
  {
    name: 'a scope that matches',
    quotas: [{ ...both(['0', '0'], ['0', '0']), scopes: ['Terminating'] }],
    pod: { spec: { activeDeadlineSeconds: 60 } },
    want: 'QuotaWouldBlock'
  },
  {
    name: 'a class of priority',
    quotas: [
      {
        ...both(['0', '0'], ['0', '0']),
        selector: [{ scopeName: 'PriorityClass', operator: 'In', values: ['batch'] }]
      }
    ],
    pod: { spec: { priorityClassName: 'batch' } },
    want: 'QuotaWouldBlock'
  },
  {
    name: 'a scope that is not known counts as matching',
    quotas: [{ ...both(['0', '0'], ['0', '0']), scopes: ['Tomorrow'] }],
    want: 'QuotaWouldBlock'
  },
  {
    name: 'whole GPUs are counted and the share is not',
    quotas: [gpuQuota],
    want: 'QuotaEscape',
    says: /^ResourceQuota gpu limits requests\.nvidia\.com\/gpu, and nothing limits requests\.nvidia\.com\/mig-1g\.10gb$/
  },
  {
    name: 'whole GPUs are counted and only the larger share is',
    quotas: [{ counts: { [WHOLE]: ['2', '0'], [LARGE]: ['2', '0'] } }],
    want: 'mig-2g.20gb'
  },
  {
    name: 'another quota counts the share',
    quotas: [gpuQuota, { name: 'shares', counts: { [SMALL]: ['4', '0'] } }],
    want: 'mig-1g.10gb'
  },
  {
    name: 'a quota that counts the share only perhaps',
    quotas: [gpuQuota, { name: 'shares', counts: { [SMALL]: ['4', '0'] }, scopes: ['Tomorrow'] }],
    want: 'QuotaEscape'
  },
  {
    name: 'a quota that counts whole GPUs of other pods',
    quotas: [{ ...gpuQuota, scopes: ['Terminating'] }],
    want: 'mig-1g.10gb'
  },
  {
    name: 'an escape that the policy allows',
    quotas: [gpuQuota],
    policy: { admission: { onQuotaEscape: 'Allow' } },
    want: 'mig-1g.10gb'
  },
  {
    name: 'a full quota, where the policy allows an escape',
    quotas: [{ counts: { [WHOLE]: ['1', '0'], [SMALL]: ['0', '0'] } }],
    policy: { admission: { onQuotaEscape: 'Allow' } },
    want: 'mig-2g.20gb'
  },
  {
    name: 'a pin to a share without room',
    quotas: [both(['0', '0'], ['9', '0'])],
    pod: { annotations: { 'rightslice.dev/pin': 'mig-1g.10gb' } },
    want: 'QuotaWouldBlock'
  }
]

for (const { name, quotas, pod = {}, inFlight, policy = {}, want, says } of rows) {
  t.test(`[QUOTA8] quota by name: ${name}: ${want}`, async (t) => {
    const decision = decideWith(quotas, { pod: aPod(pod), policies: [aPolicy({ ...policy })] }, inFlight)

    t.equal(outcome(decision), want, decision.sentence)
    t.match(decision.sentence, says ?? /./)
  })
}

t.test('[QUOTA8] quota by name: the evidence says which candidates had no room', async (t) => {
  const { evidence } = decideWith([both(['0', '0'], ['1', '0'])])

  t.strictSame(
    evidence.findings[0]?.considered.map(({ share, verdict }) => [share, verdict]),
    [
      ['mig-1g.10gb', 'over-limit'],
      ['mig-2g.20gb', 'fits']
    ]
  )
})

const two: InputSpec = {
  pod: aPod({ containers: [{ name: 'a' }, { name: 'b' }] }),
  usage: aUsage({ container: 'a' }, { container: 'b' })
}

for (const { name, small, large, want } of [
  { name: 'room for both', small: '2', large: '0', want: 'mig-1g.10gb mig-1g.10gb' },
  { name: 'room for one of each', small: '1', large: '1', want: 'mig-1g.10gb mig-2g.20gb' },
  { name: 'room for one in all', small: '1', large: '0', want: 'QuotaWouldBlock' }
]) {
  t.test(`[QUOTA8] quota by name: two containers at one time, ${name}`, async (t) => {
    const decision = decideWith([both([small, '0'], [large, '0'])], two)

    t.equal(outcome(decision), want, decision.sentence)
  })
}

t.test('[QUOTA8] an init container takes no more room than the container that follows it', async (t) => {
  const pod = aPod({ initContainers: [{}] })
  const usage = aUsage({}, { container: 'init-0' })

  t.equal(outcome(decideWith([both(['1', '0'], ['0', '0'])], { pod, usage })), 'mig-1g.10gb mig-1g.10gb')
})

t.test('[QUOTA9] a share that keeps the name of the whole GPU is counted like it', async (t) => {
  const input: InputSpec = {
    nodes: [aSharedNode({ renamed: false })],
    namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
    policies: [aPolicy({ timeSlicing: { namespaces: ['team-a'], maxReplicas: 8 } })],
    usage: aUsage({ peakMiB: 3000 })
  }

  t.equal(outcome(decideWith([{ counts: { [WHOLE]: ['1', '1'] } }], input)), 'shared')
})

for (const { name, item, want } of [
  {
    name: 'a bound on whole GPUs',
    item: { type: 'Container', max: { 'nvidia.com/gpu': '1' } },
    want: 'LimitRangeWouldBlock'
  },
  {
    name: 'a share that is not allowed',
    item: { type: 'Pod', max: { 'nvidia.com/mig-1g.10gb': '0' } },
    want: 'mig-2g.20gb'
  },
  {
    name: 'a default alone',
    item: { type: 'Container', default: { 'nvidia.com/gpu': '1' } },
    want: 'mig-1g.10gb'
  }
]) {
  t.test(`[QUOTA10] LimitRange: ${name}: ${want}`, async (t) => {
    const decision = decide(anInput({ nodes, limits: someLimits({ limitRanges: [item] }) }))

    t.equal(outcome(decision), want, decision.sentence)
  })
}

t.test(
  '[QUOTA11] deciding again changes nothing, though the pod is in flight and fills its quota',
  async (t) => {
    const quotas = [both(['1', '0'], ['0', '0'])]
    const raw = aPod()
    const first = decideWith(quotas, { pod: raw })
    const pod = applyStrictly(raw, toJsonPatch(raw, first))

    const again = decideWith(quotas, { pod }, { [SMALL]: 1 })

    t.match(again, { kind: 'rewrite', repeated: true })
    t.strictSame(toJsonPatch(pod, again), [])
  }
)

t.test(
  '[QUOTA11] LimitRange re-add: the whole GPU that comes back goes again, also from a full quota',
  async (t) => {
    const limits = someLimits({
      quotas: [{ counts: { [WHOLE]: ['1', '0'], [SMALL]: ['1', '0'] } }],
      limitRanges: [{ type: 'Container', default: { 'nvidia.com/gpu': '1' } }],
      inFlight: { [SMALL]: 1 }
    })
    const raw = aPod()
    const first = decide(anInput({ pod: raw, nodes, limits: { ...limits, inFlight: {} } }))
    const pod = applyStrictly(raw, toJsonPatch(raw, first))
    const resources = { limits: { 'nvidia.com/gpu': '1', 'nvidia.com/mig-1g.10gb': '1' } }
    const spoilt = {
      ...Object(pod),
      spec: { ...Object(pod).spec, containers: [{ ...Object(pod).spec.containers[0], resources }] }
    }

    const again = decide(anInput({ pod: spoilt, nodes, limits }))

    t.strictSame(toJsonPatch(spoilt, again), [
      { op: 'remove', path: '/spec/containers/0/resources/limits/nvidia.com~1gpu' }
    ])
    t.strictSame(
      again.kind === 'rewrite' && quotaCountsAdded(anInput({ pod: spoilt }).pod, again, limits),
      {}
    )
  }
)

t.test(
  '[QUOTA5] what a rewrite adds is counted once for containers that share a device in turn',
  async (t) => {
    const input = anInput({
      pod: aPod({ initContainers: [{}] }),
      usage: aUsage({}, { container: 'init-0' }),
      nodes
    })
    const decision = decide(input)

    t.strictSame(decision.kind === 'rewrite' && quotaCountsAdded(input.pod, decision, noLimits), {
      [SMALL]: 1
    })
  }
)

t.test('[QUOTA5] a claim counts as one, and for every DeviceClass that is limited', async (t) => {
  const devices = 'mig.deviceclass.resource.k8s.io/devices'
  const limits = someLimits({ quotas: [{ counts: { [devices]: ['1', '0'] } }] })

  t.strictSame(quotaCountsOf({ resources: {}, claimTemplate: 'a' }, limits), {
    'count/resourceclaims.resource.k8s.io': 1,
    [devices]: 1
  })
})

t.test(
  '[QUOTA11] deciding again changes nothing where the pod is not in flight, as after a dry run',
  async (t) => {
    const quotas = [both(['1', '0'], ['1', '0'])]
    const raw = two.pod
    const first = decideWith(quotas, two)
    const pod = applyStrictly(raw, toJsonPatch(raw, first))

    const again = decideWith(quotas, { ...two, pod })

    t.match(again, { kind: 'rewrite', repeated: true })
    t.strictSame(toJsonPatch(pod, again), [])
  }
)
