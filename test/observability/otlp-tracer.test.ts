import t, { type Test } from 'tap'
import { createOtlpTracer } from '../../src/observability/otlp-tracer.ts'
import type { ReviewTrace } from '../../src/ports/review-tracer.ts'
import { startFakeCollector } from '../fakes/fake-collector.ts'
import { MemoryLog } from '../fakes/memory-log.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

async function arrange(t: Test) {
  const collector = await startFakeCollector()
  const log = new MemoryLog()
  const tracer = createOtlpTracer({ endpoint: `${collector.url}/`, version: '1.2.3', instance: 'pod-1', log })
  t.teardown(() => collector.close())
  return { collector, log, tracer }
}

function aTrace(change: Partial<ReviewTrace> = {}): ReviewTrace {
  return {
    webhook: 'rewrite.rightslice.dev',
    uid: 'uid-1',
    namespace: 'team-a',
    outcome: 'rewrite',
    reason: 'FitsMigProfile',
    dryRun: false,
    headers: {},
    seconds: 0.25,
    ...change
  }
}

function traced(flags: string): ReviewTrace {
  return aTrace({ headers: { traceparent: `00-${traceId}-${parentId}-${flags}`, tracestate: 'vendor=1' } })
}

t.test('a review becomes a span of the trace that its call belongs to', async (t) => {
  const { collector, tracer } = await arrange(t)

  tracer.reviewed(traced('01'))
  await tracer.close()

  t.match(collector.calls, ['POST /v1/traces application/json'])
  t.equal(collector.spans.length, 1)
  const [received] = collector.spans
  t.match(received?.span, {
    traceId,
    parentSpanId: parentId,
    traceState: 'vendor=1',
    name: 'rewrite.rightslice.dev',
    kind: 2
  })
  t.strictSame(received?.attributes, {
    'k8s.namespace.name': 'team-a',
    'rightslice.review.uid': 'uid-1',
    'rightslice.outcome': 'rewrite',
    'rightslice.dry_run': false,
    'rightslice.reason': 'FitsMigProfile'
  })
  t.match(received?.resource, {
    'service.name': 'rightslice-webhook',
    'service.version': '1.2.3',
    'service.instance.id': 'pod-1'
  })
})

t.test('a span lasts as long as its review, and a failed one is an error', async (t) => {
  const { collector, tracer } = await arrange(t)

  tracer.reviewed(aTrace({ outcome: 'failed', seconds: 0.25 }))
  await tracer.close()

  const [received] = collector.spans
  const { startTimeUnixNano, endTimeUnixNano, status } = Object(received?.span)
  t.equal(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano), 250_000_000n)
  t.match(status, { code: 2 })
})

t.test('a call whose trace is not kept is not traced here either', async (t) => {
  const { collector, tracer } = await arrange(t)

  tracer.reviewed(traced('00'))
  await tracer.close()

  t.strictSame(collector.calls, [])
})

for (const traceparent of [
  '',
  'nonsense',
  `ff-${traceId}-${parentId}-01`,
  `00-${'0'.repeat(32)}-${parentId}-01`
]) {
  t.test(`a traceparent that is none begins a trace of its own: "${traceparent}"`, async (t) => {
    const { collector, tracer } = await arrange(t)

    tracer.reviewed(aTrace({ headers: { traceparent }, rules: ['NodeNameSet'] }))
    await tracer.close()

    const [received] = collector.spans
    t.match(received?.span, { traceId: /^[0-9a-f]{32}$/ })
    t.notMatch(received?.span, { traceId })
    t.match(received?.attributes, { 'rightslice.rules': { values: [{ stringValue: 'NodeNameSet' }] } })
  })
}

t.test('what the sender wrote is cut and cleaned', async (t) => {
  const { collector, tracer } = await arrange(t)

  tracer.reviewed(aTrace({ namespace: `a\n${'b'.repeat(5000)}` }))
  await tracer.close()

  const namespace = String(collector.spans[0]?.attributes['k8s.namespace.name'])
  t.match(namespace, /^a\?b+\.\.\.$/)
  t.equal(namespace.length, 300)
})

t.test('a collector that refuses is told once, and once more when it takes spans again', async (t) => {
  const { collector, log, tracer } = await arrange(t)
  const send = async (count: number): Promise<void> => {
    const sent = collector.calls.length
    for (let index = 0; index < count; index += 1) tracer.reviewed(aTrace())
    await collector.called(sent + 1)
  }
  collector.answer = 400

  await send(128)
  await send(128)
  collector.answer = 200
  await send(128)
  await tracer.close()

  t.match(log.lines, [
    { level: 'warn', message: 'traces not sent', fields: { spans: 128 } },
    { level: 'info', message: 'traces are sent again', fields: { spans: 128 } }
  ])
  t.equal(log.lines.length, 2)
})

t.test('the end does not wait for a collector that never answers', async (t) => {
  const { collector, tracer } = await arrange(t)
  collector.answer = 'silence'
  tracer.reviewed(aTrace())

  const startMs = performance.now()
  await tracer.close()

  t.ok(performance.now() - startMs < 4_000)
})

t.test('a fault of tracing is logged and goes no further', async (t) => {
  const { log, tracer } = await arrange(t)
  const headers = Object.defineProperty({}, 'traceparent', {
    get: () => {
      throw new Error('broken')
    }
  })

  tracer.reviewed(aTrace({ headers }))
  await tracer.close()

  t.match(log.lines, [
    { level: 'error', message: 'review not traced', fields: { err: { message: 'broken' } } }
  ])
})
