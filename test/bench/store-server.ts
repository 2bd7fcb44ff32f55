import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { busyCluster } from './busy-cluster.ts'
import { type Collection, type Collections, largeCluster } from './store-fleet.ts'

/** An API server with a cluster, in a process of its own: `node store-server.ts large|busy`; says its port, and on demand lets the watches of nodes expire. */
const HOST = '127.0.0.1'
const VERSION = '2000000'

const clusters: Readonly<Record<string, () => Collections>> = { large: () => largeCluster, busy: busyCluster }

function pageOf(collection: Collection | undefined, query: URLSearchParams): object {
  const { count, object } = collection ?? { count: 0, object: () => ({}) }
  const start = Number(query.get('continue') ?? 0)
  const end = Math.min(count, start + Number(query.get('limit') ?? count))
  const items = Array.from({ length: end - start }, (_, n) => object(start + n))
  return { metadata: { resourceVersion: VERSION, ...(end < count ? { continue: String(end) } : {}) }, items }
}

function collectionAt(path: string): Collection | undefined {
  return collections[path.split('/').at(-1) ?? '']
}

const [, , which = 'large'] = process.argv
const collections = clusters[which]?.() ?? {}
const order = { service: 'x', namespace: 'x', ipAddresses: [HOST], nowMs: Date.now(), validDays: 1 }
const { certPem: cert, keyPem: key } = await makeCertificates(order)
const nodeWatches = new Set<ServerResponse>()
const server = createServer({ cert, key }, (request, response) => {
  const url = new URL(request.url ?? '/', 'https://server')
  response.writeHead(200, { 'content-type': 'application/json' })
  if (url.searchParams.get('watch') !== 'true') {
    response.end(JSON.stringify(pageOf(collectionAt(url.pathname), url.searchParams)))
    return
  }
  response.flushHeaders()
  if (url.pathname.endsWith('/nodes')) nodeWatches.add(response)
})
server.listen(0, HOST)
await once(server, 'listening')
const address = server.address()
process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
process.on('message', () => {
  const event = { type: 'ERROR', object: { kind: 'Status', code: 410, message: 'too old resource version' } }
  for (const response of nodeWatches) response.end(`${JSON.stringify(event)}\n`)
  nodeWatches.clear()
})
await once(process, 'disconnect')
process.exit(0)
