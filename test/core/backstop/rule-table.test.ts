import t from 'tap'
import { ruleCodes, rules } from '../../../src/core/api/rules.ts'
import { defaultTable, type RuleTableInput, ruleTable } from '../../../src/core/backstop/rule-table.ts'
import { anExemption } from '../../build/exemption.ts'
import { NOW_MS } from '../../build/input.ts'
import { aPolicy } from '../../build/policy.ts'

const strict = { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'enforce' } }

/** What the table says beyond the defaults. */
function tableOf(input: Partial<RuleTableInput>): Readonly<Record<string, string>> {
  const table = ruleTable({
    namespaces: [strict],
    policies: [],
    exemptions: [],
    systemNamespaces: ['kube-*'],
    nowMs: NOW_MS,
    ...input
  })
  return Object.fromEntries(Object.entries(table).filter(([key]) => !key.startsWith('default.')))
}

const approved = { approval: { decision: 'Approved', by: 'mara' } }

t.test('[BACK7] the shipped table holds the level of every rule', async (t) => {
  t.strictSame(
    defaultTable(),
    Object.fromEntries(ruleCodes.map((code) => [`default.${code}`, rules[code].defaultLevel]))
  )
  t.strictSame(tableOf({}), {})
})

t.test(
  '[BACK8] levels of the first policy of a namespace count, the lowest of policy and rule',
  async (t) => {
    const policies = [
      aPolicy({ name: 'second', priority: 1 }),
      aPolicy({
        name: 'first',
        priority: 2,
        isolationRules: { NodeNameSet: 'Off', RequestNeverMet: 'Enforce', HostPidWithGpu: 'Enforce' }
      })
    ]

    t.strictSame(tableOf({ policies }), {
      'namespace.team-a': 'first',
      'policy.first.NodeNameSet': 'Off',
      'policy.first.RequestNeverMet': 'Enforce'
    })
    const warned = tableOf({ policies: [aPolicy({ name: 'soft', admission: { isolation: 'Warn' } })] })
    t.equal(warned['policy.soft.HostPidWithGpu'], 'Warn')
    t.notOk('policy.soft.UnknownEnvironment' in warned, 'is Warn already')
    t.notOk('policy.soft.RequestNeverMet' in warned, 'is off and stays off')
  }
)

t.test('[BACK8] namespaces that are not opted in or of the system have no levels', async (t) => {
  const policies = [aPolicy({ name: 'all' })]
  const namespaces = [
    { name: 'plain', labels: {} },
    { name: 'kube-flow', labels: strict.labels },
    { name: 'told', labels: { 'rightslice.dev/rightsize': 'warn' } }
  ]

  t.strictSame(tableOf({ namespaces, policies }), {
    'outside.kube-flow': 'system'
  })
})

t.test('[BACK9] exemptions stand in the table while they act', async (t) => {
  const rule = { rules: ['NodeNameSet', 'Rewrite'], ...approved }
  const of = (spec: object) => anExemption({ ...rule, ...spec })
  const exemptions = [
    of({}),
    of({ workloadRef: { kind: 'InferenceService', name: 'x' } }),
    of({ workloadRef: undefined, selector: { matchLabels: { b: '2', a: '1' } } }),
    of({ approval: undefined, workloadRef: { kind: 'Job', name: 'unapproved' } }),
    of({ workloadRef: { kind: 'Job', name: 'other' }, expires: new Date(NOW_MS).toISOString() }),
    { ...of({ workloadRef: { kind: 'Job', name: 'elsewhere' } }), namespace: 'team-b' }
  ]

  t.strictSame(tableOf({ exemptions }), {
    'exempt.team-a.NodeNameSet': '* Deployment/app label:a=1,b=2'
  })
  t.strictSame(
    tableOf({ exemptions: [of({ workloadRef: undefined, selector: {} })] }),
    { 'exempt.team-a.NodeNameSet': '*' },
    'an empty selector is everybody'
  )
  t.strictSame(tableOf({ exemptions, nowMs: NOW_MS + 3 * 86_400_000 }), {}, 'all have ended')
})

t.test(
  '[BACK9] a selector that the policies cannot read is everybody, for the webhook looks again',
  async (t) => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Exists' }] }
    const exemptions = [
      anExemption({ rules: ['NodeNameSet'], workloadRef: undefined, selector, ...approved })
    ]

    t.strictSame(tableOf({ exemptions }), { 'exempt.team-a.NodeNameSet': '*' })
  }
)

t.test('[BACK9] what no name or label can hold is not taken apart into somebody else', async (t) => {
  const rule = { rules: ['NodeNameSet'], ...approved }
  const exemption = anExemption({
    ...rule,
    workloadRef: undefined,
    selector: { matchLabels: { app: 'x *' } }
  })
  const named = {
    ...exemption,
    target: { kind: 'workload' as const, workload: { kind: 'Job', name: 'x *' } }
  }

  t.strictSame(tableOf({ exemptions: [exemption, named] }), {})
})

t.test(
  '[BACK9] a CronJob stands for the whole namespace: Jobs made of it by hand have other names',
  async (t) => {
    const exemptions = [
      anExemption({ rules: ['NodeNameSet'], ...approved, workloadRef: { kind: 'CronJob', name: 'nightly' } })
    ]

    t.strictSame(tableOf({ exemptions }), { 'exempt.team-a.NodeNameSet': '*' })
  }
)

t.test('[BACK8] a policy whose name makes keys too long counts with its defaults', async (t) => {
  t.strictSame(
    tableOf({ policies: [aPolicy({ name: 'p'.repeat(250), admission: { isolation: 'Off' } })] }),
    {}
  )
})

t.test('the table does not depend on the order of objects', async (t) => {
  const policies = [aPolicy({ name: 'b' }), aPolicy({ name: 'a' })]
  const namespaces = [strict, { ...strict, name: 'team-b' }]
  const input = { exemptions: [], systemNamespaces: [], nowMs: NOW_MS }

  t.equal(
    JSON.stringify(ruleTable({ ...input, policies, namespaces })),
    JSON.stringify(
      ruleTable({ ...input, policies: policies.toReversed(), namespaces: namespaces.toReversed() })
    )
  )
})
