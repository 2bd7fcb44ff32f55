import t from 'tap'
import { readSecurity } from '../../../src/core/pod/security-view.ts'
import type { IsolationInput } from '../../../src/core/rules/verdict.ts'
import { anExemption } from '../../build/exemption.ts'
import { asking, type JudgedSpec, verdictOn, withEnv } from '../../build/isolation.ts'
import { aPolicy } from '../../build/policy.ts'

const bad = withEnv(['NVIDIA_VISIBLE_DEVICES', 'all'])
const debug = { operation: 'UPDATE', subResource: 'ephemeralcontainers' }

function outcomeOf(spec: JudgedSpec): string {
  const verdict = verdictOn(spec)
  if (verdict.kind === 'outside') return verdict.reason
  const rules = (breaches: typeof verdict.refused) => breaches.map(({ rule }) => rule).join(' ')
  if (verdict.refused.length > 0) return `refused ${rules(verdict.refused)}`
  return verdict.warned.length > 0 ? `warned ${rules(verdict.warned)}` : 'fine'
}

const cases: readonly (JudgedSpec & { readonly name: string; readonly want: string })[] = [
  { name: '[RULE3] enforced everywhere', main: bad, want: 'refused VisibleDevicesOverride' },
  {
    name: '[RULE3] the namespace only warns',
    main: bad,
    labels: { 'rightslice.dev/rightsize': 'warn' },
    want: 'warned VisibleDevicesOverride'
  },
  {
    name: '[RULE3] the policy only warns',
    main: bad,
    policies: [{ admission: { isolation: 'Warn' } }],
    want: 'warned VisibleDevicesOverride'
  },
  {
    name: '[RULE3] a policy that proposes warns',
    main: bad,
    policies: [{ mode: 'Propose' }],
    want: 'warned VisibleDevicesOverride'
  },
  {
    name: '[RULE3] the rule only warns',
    main: bad,
    policies: [{ isolationRules: { VisibleDevicesOverride: 'Warn' } }],
    want: 'warned VisibleDevicesOverride'
  },
  {
    name: '[RULE3] the rule is off',
    main: bad,
    policies: [{ isolationRules: { VisibleDevicesOverride: 'Off' } }],
    want: 'fine'
  },
  {
    name: '[RULE3] the policy is off',
    main: bad,
    policies: [{ admission: { isolation: 'Off' } }],
    want: 'fine'
  },
  {
    name: '[RULE3] a rule cannot be stricter than the policy',
    main: bad,
    policies: [{ admission: { isolation: 'Warn' }, isolationRules: { VisibleDevicesOverride: 'Enforce' } }],
    want: 'warned VisibleDevicesOverride'
  },
  { name: '[RULE3] no policy', main: bad, policies: [], want: 'refused VisibleDevicesOverride' },
  {
    name: '[RULE3] the first policy, wherever its nodes are',
    main: bad,
    spec: { nodeSelector: { pool: 'a' } },
    policies: [
      { name: 'strict', priority: 2, nodeSelector: { pool: 'b' } },
      { name: 'lax', nodeSelector: { pool: 'a' }, admission: { isolation: 'Off' } }
    ],
    want: 'refused VisibleDevicesOverride'
  },
  {
    name: '[RULE3] a policy for other namespaces',
    main: bad,
    policies: [{ namespaceSelector: { matchLabels: { team: 'b' } }, admission: { isolation: 'Off' } }],
    want: 'refused VisibleDevicesOverride'
  },
  {
    name: '[RULE3] a suspended policy still counts',
    main: bad,
    policies: [{ suspend: true, admission: { isolation: 'Warn' } }],
    want: 'warned VisibleDevicesOverride'
  },
  {
    name: '[RULE2] a namespace that is out',
    main: bad,
    labels: { 'rightslice.dev/rightsize': 'off' },
    want: 'NamespaceNotOptedIn'
  },
  {
    name: '[RULE2] a system namespace',
    main: bad,
    input: { namespace: { name: 'gke-managed-x', labels: { 'rightslice.dev/rightsize': 'enforce' } } },
    want: 'SystemNamespace'
  },
  {
    name: '[RULE2] a mirror pod',
    main: bad,
    metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } },
    want: 'MirrorPod'
  },
  ...[
    { operation: 'DELETE' },
    { operation: 'CONNECT', subResource: 'exec' },
    { operation: 'UPDATE', subResource: 'resize' },
    { operation: 'CREATE', subResource: 'binding' }
  ].map((input) => ({ name: `[RULE2] ${JSON.stringify(input)}`, main: bad, input, want: 'NotAPodCreation' })),
  { name: '[RULE6] a pod that runs is updated', main: bad, input: { operation: 'UPDATE' }, want: 'fine' },
  {
    name: '[RULE6] what runs is not blamed for an ephemeral container',
    main: { ...bad, ...asking('nvidia.com/gpu') },
    spec: {
      ephemeralContainers: [{ name: 'd' }],
      nodeName: 'n',
      hostPID: true,
      runtimeClassName: 'x',
      hostIPC: true
    },
    input: debug,
    want: 'fine'
  },
  {
    name: '[RULE6] a new ephemeral container',
    spec: { ephemeralContainers: [{ name: 'd', ...bad }] },
    input: { ...debug, before: readSecurity({ spec: { containers: [{ name: 'd' }] } }) },
    want: 'refused VisibleDevicesOverride'
  },
  {
    name: '[RULE6] an old ephemeral container',
    spec: { ephemeralContainers: [{ name: 'd', ...bad }, { name: 'e' }] },
    input: { ...debug, before: readSecurity({ spec: { ephemeralContainers: [{ name: 'd' }] } }) },
    want: 'fine'
  },
  {
    name: '[RULE2] a template',
    main: bad,
    input: { operation: 'UPDATE', isTemplate: true },
    want: 'refused VisibleDevicesOverride'
  },
  {
    name: '[RULE4] everything at once, in the order of the table',
    main: { ...bad, ...asking('nvidia.com/gpu.shared', 2), securityContext: { privileged: true } },
    spec: { hostPID: true, nodeName: 'n' },
    want: 'refused SharedGpuNotAllowedHere MoreThanOneReplica VisibleDevicesOverride PrivilegedWithGpu HostPidWithGpu NodeNameSet'
  }
]

for (const { name, want, ...spec } of cases) {
  t.test(name, async (t) => {
    t.equal(outcomeOf(spec), want)
  })
}

t.test('[RULE3] an invalid policy is passed over, and the policy that counts is named', async (t) => {
  const invalid = {
    kind: 'invalid',
    name: 'a',
    faults: [],
    reach: { ...aPolicy().policy, priority: 9 }
  } as const
  const lax = aPolicy({ name: 'lax', admission: { isolation: 'Warn' } })

  const verdict = verdictOn({ main: bad, input: { policies: [invalid, lax] } })

  t.match(verdict, {
    kind: 'judged',
    policy: 'lax',
    refused: [],
    warned: [{ rule: 'VisibleDevicesOverride' }]
  })
})

t.test('[RULE1] [RULE4] any JSON is judged', async (t) => {
  const odd = [
    null,
    1,
    'x',
    [],
    {},
    { spec: null },
    { spec: { containers: [null, 1, { env: 'x', volumeMounts: {} }] } }
  ]
  for (const raw of odd) t.equal(outcomeOf({ raw }), 'fine', JSON.stringify(raw))
})

t.test('[RULE1] long pods are judged in less than 100 ms', async (t) => {
  const env = Array.from({ length: 10_000 }, (_, index) => ({
    name: `V${index}`,
    value: `$(V${index - 1})$(V${index - 1})x`
  }))
  const many = Array.from({ length: 1000 }, (_, index) => ({
    name: `c${index}`,
    ...bad,
    ...asking('nvidia.com/gpu')
  }))
  for (const containers of [[{ name: 'main', env, ...asking('nvidia.com/gpu') }], many]) {
    const input = { raw: { spec: { containers } } }
    const start = performance.now()
    verdictOn(input)
    t.ok(performance.now() - start < 100)
  }
})
t.test(
  '[RULE31] an exemption lifts the rule that it names, for whom it covers, and this is told',
  async (t) => {
    const exemption = anExemption({
      rules: ['NodeNameSet'],
      workloadRef: { kind: 'Pod', name: 'app-0' },
      approval: { decision: 'Approved', by: 'mara' }
    })
    const judged = (input: Partial<IsolationInput>, main = {}) =>
      verdictOn({ spec: { nodeName: 'node-1' }, main, input: { exemptions: [exemption], ...input } })

    t.match(judged({}), {
      refused: [],
      warned: [],
      exempt: [{ breach: { rule: 'NodeNameSet' }, exemption: 'load-test' }]
    })
    t.match(judged({ workload: { kind: 'Pod', name: 'other' } }), {
      refused: [{ rule: 'NodeNameSet' }],
      exempt: []
    })
    t.match(judged({ nowMs: exemption.expiresMs }), { refused: [{ rule: 'NodeNameSet' }], exempt: [] })
    t.match(judged({}, withEnv(['NVIDIA_VISIBLE_DEVICES', 'all'])), {
      refused: [{ rule: 'VisibleDevicesOverride' }],
      exempt: [{ breach: { rule: 'NodeNameSet' } }]
    })
  }
)

t.test('[RULE31] the policy of the namespace bounds the life of exemptions', async (t) => {
  const exemption = anExemption({
    rules: ['NodeNameSet'],
    workloadRef: undefined,
    selector: {},
    approval: { decision: 'Approved', by: 'mara' }
  })
  const policies = [{ exemptions: { maxDuration: '1h' } }]

  t.match(verdictOn({ spec: { nodeName: 'node-1' }, policies, input: { exemptions: [exemption] } }), {
    refused: [{ rule: 'NodeNameSet' }],
    exempt: []
  })
})
