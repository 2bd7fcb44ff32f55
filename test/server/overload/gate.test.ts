import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { Gate, type GateParts } from '../../../src/server/overload/gate.ts'
import { MemoryLog } from '../../fakes/memory-log.ts'
import { MemoryMetrics } from '../some-webhook.ts'

interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A request that has arrived on a connection of its own. */
function call(url: string, { socket = new Socket(), bytes = 2, isWhole = true } = {}): Call {
  const request = new IncomingMessage(socket)
  Object.assign(request, { url, complete: isWhole, headers: { 'content-length': String(bytes) } })
  return { request, response: new ServerResponse(request) }
}

function someGate(changes: Partial<GateParts> = {}) {
  const served: string[] = []
  const metrics = new MemoryMetrics()
  const log = new MemoryLog()
  const gate = new Gate({
    serve: ({ url }, response) => {
      served.push(url ?? '')
      response.end()
    },
    largestBodyBytes: 7 * 1024 * 1024,
    isDraining: () => false,
    log,
    metrics,
    ...changes
  })
  const admit = (...calls: readonly Call[]): void => {
    for (const { request, response } of calls) gate.admit(request, response)
  }
  return { gate, admit, served, metrics, log }
}

/** After so many looks at who has come. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Until so many were served. */
async function untilServed(served: readonly string[], count: number): Promise<void> {
  while (served.length < count) await turns(1)
}

function spin(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

t.test('of what has arrived together isolation is served first', async (t) => {
  const { admit, served } = someGate()

  admit(call('/advice'), call('/rewrite'), call('/isolation'), call('/rewrite'), call('/isolation'))
  t.strictSame(served, [], 'nothing before everything was read')
  await untilServed(served, 5)

  t.strictSame(served, ['/isolation', '/isolation', '/rewrite', '/rewrite', '/advice'])
})

t.test('between slices of service it is looked who has come', async (t) => {
  const { admit, served } = someGate({
    serve: ({ url }, response) => {
      served.push(url ?? '')
      response.end()
      spin(6)
    }
  })

  admit(...Array.from({ length: 6 }, () => call('/rewrite')))
  await turns(1)
  const atFirst = served.length
  admit(call('/isolation'))
  await untilServed(served, 7)

  t.ok(atFirst < 6, `${atFirst} in one slice`)
  t.equal(served.indexOf('/isolation'), atFirst, 'isolation overtakes what waits')
})

t.test('what would wait too long is sent back at once, rewriting sooner than isolation', async (t) => {
  const { admit, served, metrics, log, gate } = someGate({
    serve: (request, response) => {
      served.push(request.url ?? '')
      response.end()
      spin(4)
    }
  })
  admit(...Array.from({ length: 60 }, () => call('/isolation')))
  await untilServed(served, 60)

  const [rewrites, judgements] = ['/rewrite', '/isolation'].map((url) =>
    Array.from({ length: 400 }, () => call(url))
  )
  admit(...(rewrites ?? []), ...(judgements ?? []))
  const shedOf = (calls: readonly Call[] = []) => calls.filter(({ response }) => response.writableEnded)
  const [shedRewrites, shedJudgements] = [shedOf(rewrites), shedOf(judgements)]

  t.ok(shedRewrites.length > shedJudgements.length, `${shedRewrites.length} > ${shedJudgements.length}`)
  t.ok(shedJudgements.length > 0 && shedRewrites.length < 400, 'both are let in, and both are sent back')
  for (const { response } of [...shedRewrites, ...shedJudgements]) t.equal(response.statusCode, 503)
  t.equal(metrics.shedReviews.length, shedRewrites.length + shedJudgements.length)
  t.strictSame(metrics.shedReviews[0], { webhook: 'rewrite.rightslice.dev', cause: 'busy' })
  t.match(log.lines, [{ level: 'warn', message: 'too much to do, reviews are sent back' }])
  while (served.length + metrics.shedReviews.length < 860) await turns(1)
  gate.close()
})

t.test('after a pause of the whole process nobody is sent back for it', async (t) => {
  const { admit, served, metrics } = someGate()

  admit(...Array.from({ length: 20 }, () => call('/rewrite')))
  spin(600)
  admit(...Array.from({ length: 20 }, () => call('/rewrite')))
  await untilServed(served, 40)

  t.strictSame(metrics.shedReviews, [])
})

t.test('what was let in but comes too late for everybody is sent back after all', async (t) => {
  const { admit, served, metrics, gate } = someGate()
  const late = call('/isolation')

  admit(late)
  spin(1600)
  while (!late.response.writableEnded) await turns(1)

  t.equal(late.response.statusCode, 503)
  t.strictSame([served, metrics.shedReviews], [[], [{ webhook: 'isolation.rightslice.dev', cause: 'busy' }]])
  gate.close()
})

t.test('large bodies for which there is no memory are sent back, small ones are not', async (t) => {
  const { admit, served, metrics, gate } = someGate({ serve: ({ url }) => served.push(url ?? '') })
  const large = Array.from({ length: 6 }, () => call('/isolation', { bytes: 7 * 1024 * 1024 }))

  admit(...large, call('/rewrite'))
  await untilServed(served, 6)
  large[0]?.response.emit('close')
  admit(call('/isolation', { bytes: 7 * 1024 * 1024 }))
  await untilServed(served, 7)

  t.strictSame(metrics.shedReviews, [{ webhook: 'isolation.rightslice.dev', cause: 'bodies' }])
  t.equal(served.length, 7)
  gate.close()
})

t.test('a second request before the first is answered costs the connection', async (t) => {
  const { admit, served, metrics } = someGate({ serve: ({ url }) => served.push(url ?? '') })
  const socket = new Socket()

  admit(call('/rewrite', { socket }), call('/rewrite', { socket }), call('/rewrite', { socket }))
  await turns(2)

  t.strictSame([socket.destroyed, metrics.cuts, served], [true, ['pipelined'], []])
})

t.test('one request after the other may come on a connection', async (t) => {
  const { admit, served, metrics } = someGate()
  const socket = new Socket()

  admit(call('/rewrite', { socket }))
  await untilServed(served, 1)
  admit(call('/isolation', { socket }))
  await untilServed(served, 2)

  t.strictSame([served, metrics.cuts], [['/rewrite', '/isolation'], []])
})

t.test('who is gone by the time of its turn is not served', async (t) => {
  const { admit, served } = someGate()
  const socket = new Socket()

  admit(call('/rewrite', { socket }), call('/isolation'))
  socket.destroy()
  await untilServed(served, 1)

  t.strictSame(served, ['/isolation'])
})

t.test('a body that does not come costs the connection, one that comes late does not', async (t) => {
  const cut = Promise.withResolvers<void>()
  const { admit, metrics } = someGate({ serve: () => undefined, bodyMs: 500 })
  const [stalled, late] = [new Socket(), new Socket()]
  stalled.once('close', () => cut.resolve())
  const coming = call('/rewrite', { socket: late, isWhole: false })

  admit(coming, call('/rewrite', { socket: stalled, isWhole: false }))
  await turns(2)
  coming.response.emit('close')
  await cut.promise

  t.strictSame([metrics.cuts, late.destroyed], [['slow'], false])
})
