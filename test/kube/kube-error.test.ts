import t from 'tap'
import { KubeError, refusalOf, retryAfterMs } from '../../src/kube/kube-error.ts'

const request = { method: 'GET', path: '/api/v1/nodes' }

const cases = [
  {
    name: 'quotes the server',
    answer: { status: 403, text: '{"kind":"Status","message":"nodes is forbidden"}' },
    want: { code: 'KUBE_REFUSED', status: 403, message: 'GET /api/v1/nodes: status 403: nodes is forbidden' }
  },
  {
    name: 'knows an expired version',
    answer: { status: 410, text: '{"message":"too old"}' },
    want: { code: 'KUBE_EXPIRED', status: 410, message: 'GET /api/v1/nodes: status 410: too old' }
  },
  {
    name: 'quotes the beginning of what is not JSON',
    answer: { status: 502, text: ` <html>${'x'.repeat(500)}` },
    want: { message: `GET /api/v1/nodes: status 502: <html>${'x'.repeat(194)}` }
  },
  {
    name: 'says so when there are no words',
    answer: { status: 500, text: '' },
    want: {
      code: 'KUBE_UNAVAILABLE',
      message: 'GET /api/v1/nodes: status 500: no message',
      retryAfterMs: undefined
    }
  },
  {
    name: 'reads Retry-After',
    answer: { status: 429, text: '', retryAfter: '2' },
    want: { code: 'KUBE_UNAVAILABLE', retryAfterMs: 2000 }
  }
]
for (const { name, answer, want } of cases) {
  t.test(name, async (t) => {
    const error = refusalOf(request, answer)

    t.ok(error instanceof KubeError)
    t.match(error, want)
  })
}

t.test('a pause that is a date, negative or missing is no pause', async (t) => {
  t.equal(retryAfterMs('Wed, 21 Oct 2026 07:28:00 GMT', undefined), undefined)
  t.equal(retryAfterMs('-1', undefined), undefined)
  t.equal(retryAfterMs(undefined, { details: {} }), undefined)
  t.equal(retryAfterMs(undefined, { details: { retryAfterSeconds: 4 } }), 4000)
})
