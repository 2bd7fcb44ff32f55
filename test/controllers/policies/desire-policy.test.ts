import t from 'tap'
import { desirePolicyStatus, isPolicyStatusChanged } from '../../../src/controllers/policies/desire-policy.ts'
import { readPolicyObject } from '../../../src/controllers/policies/policy-object.ts'
import { historyClaim, longTrouble, nextHealth } from '../../../src/controllers/policies/source-health.ts'
import { readNode } from '../../../src/core/cluster/node-view.ts'
import { isRecord, type JsonRecord, listOf, stringOf } from '../../../src/core/json.ts'
import { aMigNode, aNode } from '../../build/node.ts'
import { aRawPolicy, type PolicySpec } from '../../build/policy.ts'
import { aReading, NOON_MS, unreachable } from '../rig.ts'

const nodes = [
  aMigNode({ name: 'a', labels: { pool: 'gpu' } }),
  aMigNode({ name: 'b' }),
  aNode({ name: 'cpu', labels: { pool: 'gpu' } })
].flatMap((raw) => readNode(raw) ?? [])

function statusOf(spec: PolicySpec, stored?: JsonRecord): JsonRecord {
  const object = readPolicyObject({ ...aRawPolicy(spec), status: stored })
  if (object === undefined) throw new Error('the policy has no name')
  const health = nextHealth(undefined, aReading())
  return desirePolicyStatus(object, { nowMs: NOON_MS, nodes, candidates: 3, freeableGpus: () => 2, health })
}

function conditionsOf(status: JsonRecord): Record<string, string> {
  return Object.fromEntries(
    listOf(status, 'conditions')
      .filter(isRecord)
      .map((one) => [stringOf(one, 'type') ?? '', `${stringOf(one, 'status')} ${stringOf(one, 'reason')}`])
  )
}

t.test('a policy that is well', async (t) => {
  const status = statusOf({ generation: 7, nodeSelector: { pool: 'gpu' }, window: 'Sat 02:00-06:00 UTC' })

  t.strictSame(conditionsOf(status), {
    HistoryAvailable: 'True Read',
    ProfilesValid: 'True AllRead',
    Ready: 'True InForce'
  })
  t.match(status, {
    observedGeneration: 7,
    admission: 'Enforce',
    matchedNodes: 1,
    candidates: 3,
    freeableGpus: 2,
    nextWindow: { start: '2026-11-21T02:00:00Z', end: '2026-11-21T06:00:00Z' }
  })
})

for (const { what, spec, admission } of [
  { what: 'only proposes', spec: { mode: 'Propose' }, admission: 'Warn' },
  { what: 'only warns', spec: { admission: { rewrite: 'Warn' } }, admission: 'Warn' },
  { what: 'has rewriting off', spec: { admission: { rewrite: 'Off' } }, admission: 'Off' },
  { what: 'is suspended', spec: { suspend: true }, admission: 'Off' }
]) {
  t.test(`a policy that ${what} says ${admission}`, async (t) => {
    t.equal(statusOf(spec)['admission'], admission)
  })
}

t.test('a suspended policy is not ready', async (t) => {
  t.equal(conditionsOf(statusOf({ suspend: true }))['Ready'], 'False Suspended')
})

t.test('an invalid policy tells its faults and counts what it would have governed', async (t) => {
  const status = statusOf({ mode: 'Sometimes', nodeSelector: { pool: 'gpu' } })

  t.equal(conditionsOf(status)['Ready'], 'False PolicyInvalid')
  t.match(status, { admission: 'Off', matchedNodes: 1, candidates: 0 })
  t.match(JSON.stringify(status), /spec\.mode/)
})

t.test('a profile that is none leaves the policy in force and is named', async (t) => {
  const conditions = conditionsOf(statusOf({ mig: { allowedProfiles: ['1g.10gb', '9x.1tb'] } }))

  t.match(conditions, { ProfilesValid: 'False ProfilesRefused' })
})

t.test('a status that says all that already is no change, whatever others wrote beside it', async (t) => {
  const status = statusOf({})

  t.equal(isPolicyStatusChanged({ ...status, freeableGpus: 2 }, status), false)
  t.equal(isPolicyStatusChanged({ ...status, candidates: 2 }, status), true)
  t.equal(isPolicyStatusChanged({}, status), true)
})

t.test('a condition keeps its time until its status changes', async (t) => {
  const conditions = [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Other',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z'
    },
    { type: 'ProfilesValid', status: 'False', reason: 'x', lastTransitionTime: '2026-01-01T00:00:00Z' },
    { type: 'Broken', status: 'Maybe' }
  ]

  t.match(listOf(statusOf({}, { conditions }), 'conditions'), [
    { type: 'HistoryAvailable', lastTransitionTime: '2026-11-20T12:00:00Z' },
    { type: 'ProfilesValid', lastTransitionTime: '2026-11-20T12:00:00Z' },
    { type: 'Ready', lastTransitionTime: '2026-01-01T00:00:00Z' }
  ])
})

t.test('the source is well, was read in part, not at all, or is silent', async (t) => {
  const claim = (change: Parameters<typeof aReading>[0]): string => {
    const { status, reason } = historyClaim(nextHealth(undefined, aReading(change)))
    return `${status} ${reason}`
  }

  t.equal(claim({}), 'True Read')
  t.equal(claim({ status: 'partial', faults: [unreachable] }), 'False PartlyRead')
  t.equal(claim({ status: 'failed', faults: [] }), 'False NotRead')
  t.equal(claim({ newestSampleMs: NOON_MS - 7_200_000 }), 'False NoRecentSamples')
  t.equal(claim({ newestSampleMs: undefined }), 'False NoRecentSamples')
})

t.test('trouble is told on workloads once it has lasted, always in the same words', async (t) => {
  const bad = (nowMs: number) => aReading({ nowMs, status: 'failed', faults: [unreachable] })
  const first = nextHealth(undefined, bad(NOON_MS))
  const second = nextHealth(first, bad(NOON_MS + 3_600_000))
  const third = nextHealth(second, bad(NOON_MS + 7_200_000))

  t.equal(longTrouble(first), undefined)
  t.match(longTrouble(second), /since 2026-11-20T12:00:00Z$/)
  t.equal(longTrouble(third), longTrouble(second))
  t.equal(longTrouble(nextHealth(third, aReading())), undefined)
})
