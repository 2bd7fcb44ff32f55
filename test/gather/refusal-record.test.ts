import t from 'tap'
import { readRefusalRecord } from '../../src/gather/refusal-record.ts'
import { aRefusalEvent, refusedByWebhook } from '../build/refusal-event.ts'

const message = refusedByWebhook('[NodeNameSet] the pod names its node; let it be')

t.test('of an Event that tells of our refusal the maker and the rules are kept', async (t) => {
  t.strictSame(readRefusalRecord(aRefusalEvent(message)), {
    namespace: 'team-a',
    maker: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app-6c9d7f8b5d', uid: 'rs-1' },
    refusals: [{ rule: 'NodeNameSet', words: 'the pod names its node; let it be' }]
  })
})

t.test('a repeated Event reads as before', async (t) => {
  const again = aRefusalEvent(message, { count: 40, lastTimestamp: '2026-11-20T12:00:00Z' })

  t.strictSame(readRefusalRecord(again), readRefusalRecord(aRefusalEvent(message)))
})

for (const [what, change] of Object.entries({
  'has another reason': { reason: 'FailedScheduling' },
  'speaks of a quota': { message: 'Error creating: pods "x" is forbidden: exceeded quota: gpu' },
  'is about another namespace': { involvedObject: { namespace: 'team-b' } },
  'names no object': { involvedObject: { uid: '' } },
  'names one that cannot be': { involvedObject: { name: 'a\nb' } },
  'names a kind that cannot be': { involvedObject: { kind: 'x'.repeat(1_000_000) } },
  'names an API that cannot be': { involvedObject: { apiVersion: 'apps/v1/v2' } },
  'has no message': { message: 7 }
})) {
  t.test(`an Event that ${what} is not kept`, async (t) => {
    t.equal(readRefusalRecord(aRefusalEvent(message, change)), undefined)
  })
}

for (const raw of [undefined, null, 'x', [], {}, { reason: 'FailedCreate' }])
  t.test(`no fault by ${JSON.stringify(raw)}`, async (t) => {
    t.equal(readRefusalRecord(raw), undefined)
  })
