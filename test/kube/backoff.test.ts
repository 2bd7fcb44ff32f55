import t from 'tap'
import { AppError } from '../../src/core/errors.ts'
import { Backoff, pauseAfter, troubleOf } from '../../src/kube/backoff.ts'
import { KubeError } from '../../src/kube/kube-error.ts'

function refusal(status: number, retryAfterMs?: number): KubeError {
  return new KubeError({ method: 'GET', path: '/p', status, message: 'no', retryAfterMs })
}

t.test('the bound of the pause doubles from 0.5 s to 30 s and starts anew after a reset', async (t) => {
  const backoff = new Backoff(() => 1)

  const pauses = Array.from({ length: 9 }, () => backoff.next())
  const failures = backoff.failures
  backoff.reset()

  t.strictSame(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  t.equal(failures, 9)
  t.equal(backoff.failures, 0)
  t.equal(backoff.next(), 500)
})

t.test('the jitter is full, but never draws nothing', async (t) => {
  t.equal(new Backoff(() => 0.5).next(), 250)
  t.equal(new Backoff(() => 0).next(), 50)
})

const broken = new AppError('KUBE_REFUSED', 'not JSON')
const away = new AppError('KUBE_UNREACHABLE', 'reset')
const cases = [
  { name: 'an unreachable server', error: away, kind: 'unreachable', first: 250, second: 500 },
  { name: 'an answer that is no answer', error: broken, kind: 'refused', first: 250, second: 500 },
  {
    name: 'anything else that is thrown',
    error: new TypeError('bug'),
    kind: 'unreachable',
    first: 250,
    second: 500
  },
  { name: 'status 500', error: refusal(500), kind: 'refused', first: 250, second: 500 },
  { name: 'status 410', error: refusal(410), kind: 'expired', first: 0, second: 500 },
  { name: 'status 403', error: refusal(403), kind: 'forbidden', first: 30_000, second: 30_000 },
  {
    name: 'status 429 with Retry-After',
    error: refusal(429, 7000),
    kind: 'throttled',
    first: 7500,
    second: 7500
  },
  {
    name: 'a Retry-After beyond reason',
    error: refusal(503, 9e9),
    kind: 'throttled',
    first: 60_500,
    second: 60_500
  }
]
for (const { name, error, kind, first, second } of cases) {
  t.test(`pauses after ${name}`, async (t) => {
    const random = () => 0.5
    const backoff = new Backoff(random)

    t.equal(troubleOf(error), kind)
    t.equal(pauseAfter(error, backoff, random), first)
    t.equal(pauseAfter(error, backoff, random), second)
    t.equal(backoff.failures, 2)
  })
}
