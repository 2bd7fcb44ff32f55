import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fieldAt, fieldOf, listOf } from '../../src/core/json.ts'

/** A span as it came, with the attributes of who sent it. */
export interface ReceivedSpan {
  readonly span: unknown
  readonly resource: Readonly<Record<string, unknown>>
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A collector of traces on loopback: takes OTLP over HTTP as JSON. */
export interface FakeCollector {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Path and content type of each call. */
  readonly calls: readonly string[]
  /** What the next calls get: a status, or `silence`: no answer until the collector is closed. */
  answer: number | 'silence'
  /** Resolves once so many calls have come. */
  called(count: number): Promise<void>
  /** Ends the calls that wait for an answer. */
  hangUp(): void
  close(): Promise<void>
}

/** Starts a collector that takes everything. @source https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export async function startFakeCollector(): Promise<FakeCollector> {
  const spans: ReceivedSpan[] = []
  const calls: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      calls.push(`${request.method} ${request.url} ${request.headers['content-type']}`)
      if (collector.answer === 200) spans.push(...spansIn(JSON.parse(Buffer.concat(chunks).toString())))
      answer(response, collector.answer)
      server.emit('told')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const collector: FakeCollector = {
    url: `http://127.0.0.1:${port}`,
    spans,
    calls,
    answer: 200,
    called: async (count) => {
      while (calls.length < count) await once(server, 'told')
    },
    hangUp: () => server.closeAllConnections(),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  return collector
}

function answer(response: ServerResponse, how: FakeCollector['answer']): void {
  if (how !== 'silence') response.writeHead(how, { 'content-type': 'application/json' }).end('{}')
}

function spansIn(body: unknown): readonly ReceivedSpan[] {
  return listOf(body, 'resourceSpans').flatMap((part) => {
    const resource = attributesIn(fieldOf(part, 'resource'))
    return listOf(part, 'scopeSpans').flatMap((scope) =>
      listOf(scope, 'spans').map((span) => ({ span, resource, attributes: attributesIn(span) }))
    )
  })
}

function attributesIn(holder: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    listOf(holder, 'attributes').map((entry) => [
      String(fieldOf(entry, 'key')),
      Object.values(fieldAt(entry, 'value') ?? {})[0]
    ])
  )
}
