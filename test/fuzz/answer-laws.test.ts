import t from 'tap'
import { brokenLaws } from './answer-laws.ts'
import type { Expectation } from './expectation.ts'
import type { WebhookPath } from './stage.ts'

const expected: Expectation = { kind: 'answer', uid: 'u', request: {} }

function reviewOf(response: Readonly<Record<string, unknown>>): string {
  const whole = { uid: 'u', allowed: true, auditAnnotations: { decision: 'keep' }, ...response }
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: whole })
}

const status = { code: 403, reason: 'Forbidden', message: 'no' }

t.test('answers as they should be break no law', async (t) => {
  const answer = (text: string, code = 200) => ({ status: code, text })

  t.strictSame(brokenLaws('/rewrite', expected, answer(reviewOf({}))), [])
  t.strictSame(brokenLaws('/isolation', expected, answer(reviewOf({ allowed: false, status }))), [])
  const refusal = answer('{"code":"REVIEW_INVALID","message":"m"}', 400)
  t.strictSame(brokenLaws('/rewrite', { kind: 'refusal', statuses: [400] }, refusal), [])
})

const wrong: readonly {
  readonly name: string
  readonly path?: WebhookPath
  readonly text: string
  readonly code?: number
  readonly says: RegExp
}[] = [
  { name: 'no JSON', text: '<html>', says: /no JSON/ },
  { name: 'another status', text: reviewOf({}), code: 500, says: /200, not 500/ },
  { name: 'another uid', text: reviewOf({ uid: 'v' }), says: /uid/ },
  { name: 'neither allowed nor not', text: reviewOf({ allowed: 'yes' }), says: /allowed/ },
  {
    name: 'a refusal by advice',
    path: '/advice',
    text: reviewOf({ allowed: false, status }),
    says: /only isolation/
  },
  { name: 'a patch without its type', text: reviewOf({ patch: 'W10=' }), says: /together/ },
  { name: 'a type without a patch', text: reviewOf({ patchType: 'JSONPatch' }), says: /together/ },
  {
    name: 'a validating answer with a patch',
    path: '/isolation',
    text: reviewOf({ patch: 'W10=', patchType: 'JSONPatch' }),
    says: /validating answers carry no patch/
  },
  { name: 'a line break in a warning', text: reviewOf({ warnings: ['a\nb'] }), says: /clean/ },
  { name: 'a long warning', text: reviewOf({ warnings: ['x'.repeat(121)] }), says: /clean and short/ },
  { name: 'a warning twice', text: reviewOf({ warnings: ['a', 'a'] }), says: /once/ },
  { name: 'six warnings', text: reviewOf({ warnings: ['a', 'b', 'c', 'd', 'e', 'f'] }), says: /6 warnings/ },
  { name: 'no warnings in a list', text: reviewOf({ warnings: [] }), says: /a list, or absent/ },
  { name: 'a key that is no name', text: reviewOf({ auditAnnotations: { 'a/b': 'x' } }), says: /keys/ },
  {
    name: 'a long audit annotation',
    text: reviewOf({ auditAnnotations: { a: 'x'.repeat(5000) } }),
    says: /short/
  },
  {
    name: 'a decision that failed',
    text: reviewOf({ auditAnnotations: { reason: 'DecisionFailed' } }),
    says: /a decision fails only/
  },
  {
    name: 'a refusal without a reason',
    path: '/isolation',
    text: reviewOf({ allowed: false }),
    says: /403 Forbidden/
  }
]

for (const { name, path = '/rewrite', text, code = 200, says } of wrong)
  t.test(`${name} breaks a law`, async (t) => {
    t.match(brokenLaws(path, expected, { status: code, text }).join('; '), says)
  })
