import t from 'tap'
import {
  desireExemptionStatus,
  endingEvent,
  isExemptionStatusChanged
} from '../../../src/controllers/exemptions/desire-exemption.ts'
import { readExemptionObject } from '../../../src/controllers/exemptions/exemption-object.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { aRawExemption } from '../../build/exemption.ts'
import { NOW_MS } from '../../build/input.ts'

const HOUR_MS = 3_600_000
const scope = { nowMs: NOW_MS, maxSeconds: 30 * 86_400 }

function anObject(spec: JsonRecord = {}, status?: JsonRecord) {
  const raw = aRawExemption(spec)
  const metadata = { ...Object(raw['metadata']), uid: 'u-1', generation: 2 }
  const object = readExemptionObject({ ...raw, metadata, ...(status === undefined ? {} : { status }) })
  if (object === undefined) throw new Error('the exemption of the test cannot be read')
  return object
}

const rule = { rules: ['NodeNameSet'] }
const decided = (decision: string) => ({ ...rule, approval: { decision, by: 'mara' } })
const soon = { expires: new Date(NOW_MS).toISOString() }

for (const { name, spec, want } of [
  { name: 'Rewrite acts at once', spec: {}, want: 'True NotNeeded, True Active' },
  { name: 'a rule waits', spec: rule, want: 'False WaitingForApproval, False NotApproved' },
  { name: 'an approved rule acts', spec: decided('Approved'), want: 'True Approved, True Active' },
  { name: 'a denied one does not', spec: decided('Denied'), want: 'False Denied, False NotApproved' },
  {
    name: 'of two, one acts before approval',
    spec: { rules: ['Rewrite', 'NodeNameSet'] },
    want: 'False WaitingForApproval, True Active'
  },
  {
    name: 'what ended is told as ended',
    spec: { ...decided('Approved'), ...soon },
    want: 'True Approved, False Expired'
  }
])
  t.test(name, async (t) => {
    const status = desireExemptionStatus(anObject(spec), scope)

    const conditions = status['conditions'] as readonly { type: string; status: string; reason: string }[]
    const said = (type: string) => {
      const found = conditions.find((condition) => condition.type === type)
      return `${found?.status} ${found?.reason}`
    }
    t.equal(`${said('Approved')}, ${said('Active')}`, want)
    t.equal(status['observedGeneration'], 2)
  })

t.test('the end is the real one, and it is said when the policy cuts it', async (t) => {
  const status = desireExemptionStatus(anObject(), { ...scope, maxSeconds: 25 * 3600 })

  t.equal(status['ends'], '2026-11-27T13:00:00Z')
  t.match(JSON.stringify(status), 'the longest life that the policy allows')
})

t.test('a status that says the same is not written again, and keeps its times', async (t) => {
  const first = desireExemptionStatus(anObject(), scope)
  const again = desireExemptionStatus(anObject({}, first), { ...scope, nowMs: NOW_MS + HOUR_MS })

  t.ok(isExemptionStatusChanged(undefined, first))
  t.notOk(isExemptionStatusChanged(first, again))
  t.ok(isExemptionStatusChanged(first, desireExemptionStatus(anObject(soon, first), scope)))
})

t.test('the end of what acts is told in its last three days', async (t) => {
  const late = { expires: new Date(NOW_MS + 73 * HOUR_MS).toISOString() }

  t.match(endingEvent(anObject(), scope), {
    subject: { kind: 'GpuExemption', namespace: 'team-a', name: 'load-test', uid: 'u-1' },
    reason: 'ExemptionExpiring',
    message: 'ends at 2026-11-28T12:00:00Z; from then on Rewrite acts again',
    key: '2026-11-28T12:00:00Z'
  })
  t.equal(endingEvent(anObject(late), scope), undefined, 'too early')
  t.ok(endingEvent(anObject(late), { ...scope, nowMs: NOW_MS + HOUR_MS }))
  t.equal(endingEvent(anObject(soon), scope), undefined, 'too late')
  t.equal(endingEvent(anObject(rule), scope), undefined, 'it never acted')
})
