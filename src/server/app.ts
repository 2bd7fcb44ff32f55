import { createServer, type Server } from 'node:https'
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import type { ServedCertificate } from '../ports/certificate-source.ts'
import type { OverloadMetrics, ReviewMetrics } from '../ports/metrics.ts'
import { allowClients } from './allowed-clients.ts'
import { answerNotFound, describeRefusal } from './errors.ts'
import { boundConnections } from './overload/bound-connections.ts'
import { Gate, type Listener } from './overload/gate.ts'
import { laneAt } from './overload/lanes.ts'
import { ADVICE_PATH, adviceHandler } from './routes/admission/advice.ts'
import { refuseBody } from './routes/admission/fault.ts'
import { ISOLATION_PATH, isolationHandler } from './routes/admission/isolation.ts'
import { REWRITE_PATH, type RewriteParts, rewriteHandler } from './routes/admission/rewrite.ts'
import { type ClientAuthority, secureOptions } from './secure-options.ts'

/** The HTTPS server of the webhooks. */
export type WebhookApp = FastifyInstance<Server>

/** What the HTTPS server is made of. */
export interface AppParts extends RewriteParts {
  readonly certificate: ServedCertificate
  /** Whom to let call; default: whoever reaches the port. */
  readonly clients?: ClientAuthority
  /** Whether the process is about to stop; every answer then asks its client to close the connection. */
  readonly isDraining: () => boolean
  readonly metrics: ReviewMetrics & OverloadMetrics
}

/**
 * Idle connections live longer here than in the API server, which closes them after 90 s: a server that closes first
 * breaks the call that is just being sent, and the API server does not repeat it. A connection that never carried a
 * request is bound by the limit on headers, so that one is long too.
 * @source k8s.io/apimachinery net/http.go, k8s.io/client-go transport/cache.go
 */
const KEEP_ALIVE_MS = 120_000
const HEADERS_MS = 125_000
const REQUEST_MS = 130_000

/** API servers shake hands within 10 s or give up; so does this server. @source k8s.io/apimachinery net/http.go */
const HANDSHAKE_MS = 10_000

/** How often the limits on time are looked at, ms. */
const CHECK_MS = 5_000

/** After so many requests a connection is closed with its answer, so that API servers spread over replicas that have come since. */
const REQUESTS_PER_CONNECTION = 1_000

/** Two API servers with all of the 200 calls that each makes at a time, by its default. One costs up to a third of a MiB. */
const CONNECTIONS = 400

/** A review holds an object of 3 MiB at most, perhaps twice, and JSON is longer than what is stored. */
const BODY_LIMIT_BYTES = 7 * 1024 * 1024

/** Makes the HTTPS server of the webhooks; it does not listen yet. */
export function createApp(parts: AppParts): WebhookApp {
  const { isDraining, log, metrics } = parts
  const app = Fastify<Server>({
    https: {}, // so that it knows its own address; the server is made here
    serverFactory: (serve) => createGatedServer(parts, serve),
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    return503OnClosing: false,
    exposeHeadRoutes: false
  })
  allowClients(app.server, { names: parts.clients?.names ?? [], log })
  app.removeContentTypeParser('text/plain')
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isDraining()) reply.header('connection', 'close')
    done()
  })
  app.setNotFoundHandler(answerNotFound)
  app.setErrorHandler<FastifyError>((error, { url }, reply) => {
    const { status, body } = describeRefusal(error)
    refuseBody({ webhook: laneAt(url).webhook, log, metrics }, body.message)
    return reply.code(status).send(body)
  })
  app.post(REWRITE_PATH, rewriteHandler(parts))
  app.post(ISOLATION_PATH, isolationHandler(parts))
  app.post(ADVICE_PATH, adviceHandler(parts))
  return app
}

/** The server in front of the routes: what holds connections only, or is too much, gets no further. */
function createGatedServer(parts: AppParts, serve: Listener): Server {
  const gate = new Gate({ ...parts, serve, largestBodyBytes: BODY_LIMIT_BYTES })
  const server = createServer(
    {
      ...secureOptions(parts.certificate, parts.clients),
      handshakeTimeout: HANDSHAKE_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS
    },
    gate.admit
  )
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION
  server.on('dropRequest', (_request, socket) => socket.destroy()) // who goes on after that was told to close
  boundConnections(server, { limit: CONNECTIONS, onCut: () => parts.metrics.connectionCut('full') })
  server.once('close', () => gate.close())
  return server
}
