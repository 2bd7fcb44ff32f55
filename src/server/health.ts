import type { Server } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import type { MetricsPage } from '../ports/metrics.ts'
import { answerNotFound } from './errors.ts'
import { boundConnections } from './overload/bound-connections.ts'

/** The plain HTTP server for kubelet and Prometheus. */
export type HealthApp = FastifyInstance<Server>

/** What the health server tells. */
export interface HealthParts {
  /** What is missing before reviews can be answered, one short text each; empty when ready. */
  readonly missing: () => readonly string[]
  readonly metrics: MetricsPage
}

/** A kubelet and a few Prometheus servers; whoever holds more connections than these cannot keep them out. */
const CONNECTIONS = 64

/** Longest time for a request to arrive, ms. */
const REQUEST_MS = 30_000

/**
 * Makes the server of `/healthz` (the process answers), `/readyz` (reviews are answered from a complete memory) and
 * `/metrics`; it does not listen yet. It has a port of its own, since kubelet has no client certificate.
 */
export function createHealthApp({ missing, metrics }: HealthParts): HealthApp {
  const app = Fastify({
    logger: false,
    requestTimeout: REQUEST_MS,
    exposeHeadRoutes: false,
    return503OnClosing: false
  })
  boundConnections(app.server, { limit: CONNECTIONS })
  app.setNotFoundHandler(answerNotFound)
  app.get('/healthz', (_request, reply) => reply.type('text/plain').send('ok\n'))
  app.get('/readyz', (_request, reply) => {
    const waitingFor = missing()
    return reply
      .code(waitingFor.length === 0 ? 200 : 503)
      .send({ ready: waitingFor.length === 0, waitingFor })
  })
  app.get('/metrics', async (_request, reply) => {
    const page = await metrics.text()
    return reply.type(metrics.contentType).send(page)
  })
  return app
}
