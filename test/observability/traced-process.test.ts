import t from 'tap'
import { stringOf } from '../../src/core/json.ts'
import { startFakeCollector } from '../fakes/fake-collector.ts'
import { startWebhook } from '../running-processes.ts'

t.setTimeout(120_000) // three processes are started, one after the other

const preload = [new URL('report-loaded.ts', import.meta.url).href]
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

function loadedIn(lines: readonly unknown[]): readonly unknown[] {
  return lines.filter((line) => stringOf(line, 'msg') === 'loaded')
}

t.test('without an endpoint nothing that traces is loaded', async (t) => {
  const { lines, review, end } = await startWebhook(t, { env: {}, preload })

  await review()
  await end()

  t.strictSame(loadedIn(lines), [])
  t.ok(lines.some((line) => stringOf(line, 'msg') === 'pod reviewed'))
})

t.test(
  'with the standard variable a review arrives as a span, at the latest when the process ends',
  async (t) => {
    const collector = await startFakeCollector()
    t.teardown(() => collector.close())
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const { lines, review, end } = await startWebhook(t, { env, preload })

    await review({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
    await end()

    t.not(loadedIn(lines).length, 0)
    t.match(collector.spans, [
      {
        span: { traceId, name: 'rewrite.rightslice.dev' },
        attributes: { 'k8s.namespace.name': 'team-a', 'rightslice.reason': 'FitsMigProfile' },
        resource: { 'service.name': 'rightslice-webhook' }
      }
    ])
  }
)

t.test('a collector that is not there costs neither answers nor the end', async (t) => {
  const env = { RIGHTSLICE_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  const { lines, review, end } = await startWebhook(t, { env })

  for (let index = 0; index < 20; index += 1) await review()
  await end()

  const messages = lines.map((line) => stringOf(line, 'msg'))
  t.equal(messages.filter((message) => message === 'pod reviewed').length, 20)
  t.ok(messages.includes('webhook stopped'))
})
