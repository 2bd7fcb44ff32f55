import t from 'tap'
import {
  covers,
  endOf,
  exemptionFor,
  lifts,
  readExemption,
  USUAL_EXEMPTION_SECONDS
} from '../../../src/core/policy/exemption.ts'
import { anExemption, aRawExemption } from '../../build/exemption.ts'
import { NOW_MS } from '../../build/input.ts'

const DAY_MS = 86_400_000
const time = { nowMs: NOW_MS, maxSeconds: USUAL_EXEMPTION_SECONDS }

t.test('[POL21] reads an exemption, whatever its status says', async (t) => {
  t.strictSame(readExemption({ ...aRawExemption(), status: { later: true } }), {
    namespace: 'team-a',
    name: 'load-test',
    rules: ['Rewrite'],
    target: { kind: 'workload', workload: { kind: 'Deployment', name: 'app' } },
    createdMs: NOW_MS - DAY_MS,
    expiresMs: NOW_MS + DAY_MS,
    decision: 'None'
  })
})

const broken = [
  { name: 'no object', raw: null },
  { name: 'an unknown rule', raw: aRawExemption({ rules: ['Everything'] }) },
  { name: 'no rule', raw: aRawExemption({ rules: [] }) },
  { name: 'a rule twice', raw: aRawExemption({ rules: ['Rewrite', 'Rewrite'] }) },
  { name: 'no end', raw: aRawExemption({ expires: undefined }) },
  { name: 'an end that is no time', raw: aRawExemption({ expires: 'never' }) },
  { name: 'no reason', raw: aRawExemption({ reason: '' }) },
  { name: 'no target', raw: aRawExemption({ workloadRef: undefined }) },
  { name: 'two targets', raw: aRawExemption({ selector: {} }) },
  { name: 'an unknown key', raw: aRawExemption({ until: 'then' }) },
  { name: 'no time of creation', raw: { ...aRawExemption(), metadata: { name: 'load-test' } } }
]
for (const { name, raw } of broken)
  t.test(`[POL21] ${name} exempts nobody`, async (t) => t.equal(readExemption(raw), undefined))

t.test('[POL21] it ends at the earlier of its own date and the longest life', async (t) => {
  const exemption = anExemption()

  t.equal(endOf(exemption, 30 * 86_400), NOW_MS + DAY_MS)
  t.equal(endOf(exemption, 86_400 + 60), NOW_MS + 60_000)
  t.equal(USUAL_EXEMPTION_SECONDS, 720 * 3600)
  t.ok(lifts(exemption, 'Rewrite', time))
  t.notOk(lifts(exemption, 'Rewrite', { ...time, nowMs: NOW_MS + DAY_MS }))
  t.notOk(lifts(exemption, 'Rewrite', { ...time, maxSeconds: 3600 }))
})

const approval = (decision: string) => ({ approval: { decision, by: 'mara' } })
const granted = [
  { name: 'Rewrite without approval', spec: {}, rule: 'Rewrite', want: true },
  { name: 'Rewrite that is denied', spec: approval('Denied'), rule: 'Rewrite', want: false },
  { name: 'a rule that it does not name', spec: {}, rule: 'NodeNameSet', want: false },
  { name: 'a rule without approval', spec: { rules: ['NodeNameSet'] }, rule: 'NodeNameSet', want: false },
  {
    name: 'a rule that is approved',
    spec: { rules: ['NodeNameSet'], ...approval('Approved') },
    rule: 'NodeNameSet',
    want: true
  },
  {
    name: 'a rule that is denied',
    spec: { rules: ['NodeNameSet'], ...approval('Denied') },
    rule: 'NodeNameSet',
    want: false
  }
] as const
for (const { name, spec, rule, want } of granted)
  t.test(`[POL22] ${name}`, async (t) => t.equal(lifts(anExemption(spec), rule, time), want))

t.test('[POL23] a workload is covered by kind and name, or by the labels of its pods', async (t) => {
  const subject = { labels: { app: 'web' }, workload: { kind: 'Deployment', name: 'app' } }
  const byLabel = anExemption({ workloadRef: undefined, selector: { matchLabels: { app: 'web' } } })

  t.ok(covers(anExemption(), subject))
  t.notOk(covers(anExemption(), { ...subject, workload: { kind: 'StatefulSet', name: 'app' } }))
  t.notOk(covers(anExemption(), { ...subject, workload: { kind: 'Deployment', name: 'app2' } }))
  t.ok(covers(anExemption(), { ...subject, workload: { ...subject.workload, role: 'worker' } }))
  t.ok(covers(byLabel, subject))
  t.notOk(covers(byLabel, { ...subject, labels: {} }))
  t.ok(
    covers(anExemption({ workloadRef: undefined, selector: {} }), subject),
    'an empty selector is everybody'
  )
})

t.test('[POL23] of several exemptions the first by name is told', async (t) => {
  const subject = { labels: {}, workload: { kind: 'Deployment', name: 'app' } }
  const all = ['b', 'a', 'c'].map((name) => ({ ...anExemption(), name }))

  t.equal(exemptionFor(all, 'Rewrite', { subject, time })?.name, 'a')
  t.equal(exemptionFor(all, 'NodeNameSet', { subject, time }), undefined)
})
