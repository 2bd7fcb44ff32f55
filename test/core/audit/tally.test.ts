import t from 'tap'
import { type AuditedPod, NamespaceTally } from '../../../src/core/audit/tally.ts'
import type { Violation } from '../../../src/core/audit/violation.ts'

const devices: Violation = { rule: 'HostDevicePath', level: 'enforce', sentence: 'the pod has …; drop it' }

function anAudited(
  change: Partial<AuditedPod> & { readonly violations?: readonly Violation[] } = {}
): AuditedPod {
  const { violations = [devices], ...pod } = change
  return {
    name: 'app-0',
    uid: 'uid-0',
    workload: { kind: 'Deployment', name: 'app' },
    template: 'hash-1',
    owner: undefined,
    audit: { policy: 'standard', violations, exempt: [], isUnreviewed: false },
    ...pod
  }
}

function tallied(...pods: readonly AuditedPod[]) {
  const tally = new NamespaceTally('team-a')
  for (const pod of pods) tally.add(pod)
  return tally.result(true)
}

t.test('[RULE45] pods of one template with the same wrong are one finding', async (t) => {
  const pods = Array.from({ length: 7 }, (_, index) => anAudited({ name: `app-${index}` }))

  const { podCount, findings, counts } = tallied(...pods)

  t.equal(podCount, 7)
  t.match(findings, [{ podCount: 7, template: 'hash-1', violations: [devices] }])
  t.strictSame(
    findings[0]?.pods.map(({ name }) => name),
    ['app-0', 'app-1', 'app-2', 'app-3', 'app-4']
  )
  t.strictSame(counts, [{ rule: 'HostDevicePath', level: 'enforce', pods: 7 }])
})

t.test('[RULE45] another template, workload, level or wrong is another finding', async (t) => {
  const others = [
    anAudited(),
    anAudited({ template: 'hash-2' }),
    anAudited({ workload: { kind: 'Job', name: 'app' } }),
    anAudited({ violations: [{ ...devices, level: 'warn' }] }),
    anAudited({ violations: [{ ...devices, rule: 'CdiAnnotation' }] }),
    anAudited({ audit: { policy: undefined, violations: [devices], exempt: [], isUnreviewed: true } })
  ]

  t.equal(tallied(...others).findings.length, 6)
  t.strictSame(tallied(...others).findings, tallied(...others.toReversed()).findings, 'in a fixed order')
})

t.test('[RULE45] an honest pod is counted and is no finding', async (t) => {
  t.match(tallied(anAudited({ violations: [] })), {
    podCount: 1,
    findings: [],
    counts: [],
    unreviewedPods: 0
  })
})

t.test('[RULE45] a pod that nobody reviewed is a finding without a violation', async (t) => {
  const audit = { policy: 'standard', violations: [], exempt: [], isUnreviewed: true }

  t.match(tallied(anAudited({ audit })), {
    unreviewedPods: 1,
    findings: [{ isUnreviewed: true, violations: [] }]
  })
})

t.test('what is kept of one namespace is bounded, what is counted is not', async (t) => {
  const pods = Array.from({ length: 250 }, (_, index) => anAudited({ template: `hash-${index}` }))

  const { findings, podsLeftOut, counts } = tallied(...pods)

  t.equal(findings.length, 200)
  t.equal(podsLeftOut, 50)
  t.strictSame(counts, [{ rule: 'HostDevicePath', level: 'enforce', pods: 250 }])
})

t.test('[RULE45] a pod whose breaches are all lifted is a finding without a violation', async (t) => {
  const exempt = [{ rule: 'HostDevicePath', exemption: 'agent' }] as const
  const audit = { policy: 'standard', violations: [], exempt, isUnreviewed: false }

  t.match(tallied(anAudited({ audit })), {
    violatingPods: 0,
    counts: [],
    findings: [{ violations: [], exempt }]
  })
})

t.test('[RULE45] what is allowed cannot crowd out what is not', async (t) => {
  const exempt = [{ rule: 'HostDevicePath', exemption: 'agent' }] as const
  const harmless = { policy: 'standard', violations: [], exempt, isUnreviewed: false }
  const many = Array.from({ length: 200 }, (_, index) =>
    anAudited({ template: `a-${index}`, audit: harmless })
  )

  const { findings, podsLeftOut, violatingPods } = tallied(...many, anAudited({ template: 'z' }))

  t.equal(findings.filter(({ violations }) => violations.length > 0).length, 1)
  t.strictSame([findings.length, podsLeftOut, violatingPods], [200, 1, 1])
})
