import t from 'tap'
import { toJsonPatch } from '../../src/core/patch/to-json-patch.ts'
import { makeReview } from './make-review.ts'
import { openGround, runChunk } from './run-chunk.ts'
import { setStage } from './stage.ts'
import { MOST_MS, tryReview } from './try-review.ts'

/** The short form of `npm run test:fuzz`, which tries a million. */
const REVIEWS = 3000
const SEED = 20_261_129

t.setTimeout(180_000)

t.test(
  'strict patch apply, idempotence, patch paths in allow-list, never throws, time bound: in thousands of mutated reviews',
  async (t) => {
    const ground = await openGround(SEED)
    t.teardown(() => ground.close())

    const { findings, outcomes, slowest } = await runChunk(ground, { from: 0, to: REVIEWS })

    t.strictSame(findings, [], `again: npm run test:fuzz -- --seed ${SEED} --only INDEX`)
    t.ok(slowest.cpuMs <= MOST_MS, `review ${slowest.index} took ${slowest.cpuMs} ms`)
    for (const [outcome, least] of Object.entries({
      '/rewrite patch': REVIEWS / 30,
      '/rewrite silent': REVIEWS / 4,
      '/rewrite 400': REVIEWS / 20,
      '/isolation deny': REVIEWS / 6,
      '/isolation silent': REVIEWS / 6,
      '/advice warn': REVIEWS / 6,
      'head 400': 1
    }))
      t.ok((outcomes[outcome] ?? 0) >= least, `${outcome}: ${outcomes[outcome]} of ${REVIEWS}`)
  }
)

t.test('the same seed and index give the same review', async (t) => {
  for (const index of [0, 1, 15_211, 999_999])
    t.strictSame(makeReview(3, index), makeReview(3, index), `index ${index}`)
  t.notSame(makeReview(3, 1).bytes, makeReview(4, 1).bytes)
  t.notSame(makeReview(3, 1).bytes, makeReview(3, 2).bytes)
})

for (const { fault, toPatch, law } of [
  {
    fault: 'throws',
    toPatch: () => {
      throw new Error('planted')
    },
    law: /nothing fails while a review is worked on: decision .*planted/
  },
  {
    fault: 'removes what is not there',
    toPatch: () => [{ op: 'remove', path: '/metadata/labels/rightslice.dev~1slice' } as const],
    law: /nothing fails while a review is worked on: patch /
  },
  {
    fault: 'adds the same mark with another value each time',
    toPatch: (raw: unknown, decision: Parameters<typeof toJsonPatch>[1]) => {
      const patch = toJsonPatch(raw, decision)
      const path = '/metadata/annotations/rightslice.dev~1explain'
      return patch.length === 0 && decision.kind === 'rewrite'
        ? [{ op: 'add', path, value: String(Math.random()) } as const]
        : patch
    },
    law: /deciding again on the patched pod gives no further patch/
  }
]) {
  t.test(`a webhook whose patch ${fault} is found out`, async (t) => {
    const stage = setStage({ toPatch })
    t.teardown(() => stage.close())
    const laws: string[] = []

    for (let index = 0; index < 400 && laws.length === 0; index += 1) {
      const review = makeReview(1, index)
      if (review.way !== 'inside') continue
      const { findings } = await tryReview({ stage, wire: noWire, seed: 1 }, review)
      laws.push(...findings.map((finding) => finding.law))
    }

    t.match(
      laws.find((found) => law.test(found)),
      law,
      laws.join('\n').slice(0, 500)
    )
  })
}

/** A port that nobody may use. */
const noWire = {
  send: () => Promise.reject(new Error('not over TLS')),
  sendRaw: () => Promise.reject(new Error('not over TLS')),
  close: () => undefined
}
