import t from 'tap'
import type { Creation } from './creations.ts'
import { outcomeOf, tallyOf } from './tally.ts'

const good: Creation = {
  isBreaking: false,
  latencyMs: 10,
  attempts: 1,
  status: 201,
  message: '',
  share: 'given'
}

function noCall(webhook: string): string {
  return `Internal error occurred: failed calling webhook "${webhook}": failed to call webhook: Post "https://x": EOF`
}

const denied =
  'admission webhook "isolation.rightslice.dev" denied the request: container main: NVIDIA_VISIBLE_DEVICES'

const cases = [
  { name: 'let in', creation: good, want: 'letIn' },
  {
    name: 'refused by the policy',
    creation: { isBreaking: true, status: 403, message: denied },
    want: 'refusedByPolicy'
  },
  { name: 'let in against the policy', creation: { isBreaking: true }, want: 'slippedIn' },
  {
    name: 'refused without a reason',
    creation: { status: 403, message: denied },
    want: 'refusedByOthers'
  },
  {
    name: 'a call of isolation that failed',
    creation: { status: 500, message: noCall('isolation.rightslice.dev') },
    want: 'refusedByIsolation'
  },
  {
    name: 'a breaking pod that could not be judged',
    creation: { isBreaking: true, status: 500, message: noCall('isolation.rightslice.dev') },
    want: 'refusedByIsolation'
  },
  {
    name: 'a call of rewriting that failed',
    creation: { status: 500, message: noCall('rewrite.rightslice.dev') },
    want: 'refusedByRewriting'
  },
  {
    name: 'an API server that waited too long',
    creation: { status: 504, message: 'Timeout: request did not complete within the allotted timeout' },
    want: 'refusedByOthers'
  },
  { name: 'no answer', creation: { status: undefined, message: 'TimeoutError' }, want: 'timedOut' }
] as const

for (const { name, creation, want } of cases)
  t.test(`told apart: ${name}`, (t) => {
    t.equal(outcomeOf({ ...good, ...creation }), want)
    t.end()
  })

t.test('every creation counts once, and only what was let in is asked for its share', (t) => {
  const tally = tallyOf([
    ...Array.from({ length: 96 }, () => good),
    { ...good, share: 'none', latencyMs: 20 },
    { ...good, share: 'unknown', attempts: 3, latencyMs: 30 },
    { ...good, isBreaking: true, status: 403, message: denied, share: 'none' },
    { ...good, status: undefined, message: 'TimeoutError', share: 'none', latencyMs: 70_000 }
  ])

  t.strictSame(tally, {
    sent: 100,
    letIn: 98,
    refusedByPolicy: 1,
    slippedIn: 0,
    refusedByRewriting: 0,
    refusedByIsolation: 0,
    refusedByOthers: 0,
    timedOut: 1,
    notRewritten: 1,
    answerLost: 1,
    sentAgain: 1,
    p50Ms: 10,
    p99Ms: 70_000,
    longestMs: 70_000,
    examples: ['timedOut: undefined TimeoutError']
  })
  t.end()
})
