import t from 'tap'
import { laneAt, lanes, WaitingLine } from '../../../src/server/overload/lanes.ts'

const [isolation, rewrite, advice] = lanes

for (const { url, lane } of [
  { url: '/isolation', lane: isolation },
  { url: '/isolation?timeout=3s', lane: isolation },
  { url: '/rewrite?timeout=2s', lane: rewrite },
  { url: '/advice?timeout=2s', lane: advice },
  { url: '/unknown', lane: rewrite },
  { url: '', lane: rewrite }
]) {
  t.test(`"${url}" waits for ${lane.webhook}`, async (t) => {
    t.equal(laneAt(url), lane)
  })
}

t.test('isolation is served before rewriting, and both before advice, each in its order', async (t) => {
  const line = new WaitingLine<string>()
  line.push(advice, 'advice', 0)
  line.push(rewrite, 'rewrite 1', 1)
  line.push(rewrite, 'rewrite 2', 2)
  line.push(isolation, 'isolation 1', 3)
  line.push(isolation, 'isolation 2', 4)

  const served = Array.from({ length: 6 }, () => line.take(5))

  t.strictSame(served, ['isolation 1', 'isolation 2', 'rewrite 1', 'rewrite 2', 'advice', undefined])
})

t.test('what was let in is not overtaken for ever', async (t) => {
  const line = new WaitingLine<string>()
  line.push(rewrite, 'rewrite', 0)
  line.push(isolation, 'isolation 1', 700)
  line.push(isolation, 'isolation 2', 700)

  t.strictSame([line.take(800), line.take(801), line.take(802)], ['isolation 1', 'rewrite', 'isolation 2'])
})

t.test('of what is overdue the oldest is served first, whatever its lane', async (t) => {
  const line = new WaitingLine<string>()
  line.push(isolation, 'isolation', 100)
  line.push(rewrite, 'rewrite', 0)

  t.strictSame([line.take(1000), line.take(1001)], ['rewrite', 'isolation'])
})

t.test('it knows who would be served before, and for how long the first one waits', async (t) => {
  const line = new WaitingLine<string>()
  t.equal(line.isEmpty(), true)
  line.push(isolation, 'a', 10)
  line.push(rewrite, 'b', 20)
  line.push(rewrite, 'c', 30)

  t.strictSame(
    lanes.map((lane) => [line.ahead(lane), line.waitedMs(lane, 50)]),
    [
      [1, 40],
      [3, 30],
      [3, 0]
    ]
  )
  t.equal(line.isEmpty(), false)
})
