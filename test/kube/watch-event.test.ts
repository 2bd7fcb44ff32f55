import t from 'tap'
import { parseWatchLine } from '../../src/kube/watch-event.ts'

const metadata = { name: 'n', resourceVersion: '7' }

function parse(value: unknown): unknown {
  return parseWatchLine('/p', Buffer.from(JSON.stringify(value)))
}

for (const type of ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']) {
  t.test(`reads ${type}`, async (t) => {
    t.strictSame(parse({ type, object: { metadata } }), { type, object: { metadata }, resourceVersion: '7' })
  })
}

const errors = [
  { code: 410, want: { code: 'KUBE_EXPIRED', status: 410, message: 'GET /p: status 410: too old' } },
  { code: 504, want: { code: 'KUBE_UNAVAILABLE', status: 504, message: 'GET /p: status 504: too old' } },
  { code: undefined, want: { code: 'KUBE_UNAVAILABLE', status: 500, message: 'GET /p: status 500: too old' } }
]
for (const { code, want } of errors) {
  t.test(`an ERROR event with code ${code} is thrown as a refusal`, async (t) => {
    t.throws(() => parse({ type: 'ERROR', object: { code, message: 'too old' } }), want)
  })
}

t.test('an ERROR event may ask for a pause', async (t) => {
  const object = { code: 429, message: 'slow', details: { retryAfterSeconds: 3 } }

  t.throws(() => parse({ type: 'ERROR', object }), { name: 'AppError', retryAfterMs: 3000 })
})

const broken = [
  { name: 'no JSON', line: Buffer.from('{"type":'), problem: /8 bytes is not JSON/ },
  { name: 'no UTF-8', line: Buffer.from([0x22, 0xff, 0x22]), problem: /3 bytes is not JSON in UTF-8/ },
  { name: 'no object', line: Buffer.from('{"type":"ADDED"}'), problem: /no object/ },
  {
    name: 'another type',
    line: Buffer.from('{"type":"MOVED","object":{}}'),
    problem: /unknown event type "MOVED"/
  },
  {
    name: 'no version',
    line: Buffer.from('{"type":"ADDED","object":{}}'),
    problem: /ADDED event without resourceVersion/
  }
]
for (const { name, line, problem } of broken) {
  t.test(`a line with ${name} breaks the stream`, async (t) => {
    t.throws(() => parseWatchLine('/p', line), { name: 'AppError', code: 'KUBE_REFUSED', message: problem })
  })
}
