import type { Server } from 'node:https'
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import { webhookNames } from '../core/api/names.ts'
import type { ServedCertificate } from '../ports/certificate-source.ts'
import { allowClients } from './allowed-clients.ts'
import { answerNotFound, describeRefusal } from './errors.ts'
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

/** A review holds an object of 3 MiB at most, perhaps twice, and JSON is longer than what is stored. */
const BODY_LIMIT_BYTES = 7 * 1024 * 1024

/** Makes the HTTPS server of the webhooks; it does not listen yet. */
export function createApp(parts: AppParts): WebhookApp {
  const app = Fastify({
    https: { ...secureOptions(parts.certificate, parts.clients), headersTimeout: HEADERS_MS },
    logger: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS,
    bodyLimit: BODY_LIMIT_BYTES,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'remove',
    return503OnClosing: false,
    exposeHeadRoutes: false
  })
  allowClients(app.server, { names: parts.clients?.names ?? [], log: parts.log })
  app.removeContentTypeParser('text/plain')
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (parts.isDraining()) reply.header('connection', 'close')
    done()
  })
  app.setNotFoundHandler(answerNotFound)
  app.setErrorHandler<FastifyError>((error, { url }, reply) => {
    const desk = { webhook: webhookAt(url), log: parts.log, metrics: parts.metrics }
    const { status, body } = describeRefusal(error)
    refuseBody(desk, body.message)
    return reply.code(status).send(body)
  })
  app.post(REWRITE_PATH, rewriteHandler(parts))
  app.post(ISOLATION_PATH, isolationHandler(parts))
  app.post(ADVICE_PATH, adviceHandler(parts))
  return app
}

/** The webhook behind a path, for faults that come before its handler. */
function webhookAt(url: string): string {
  const [path] = url.split('?')
  if (path === ISOLATION_PATH) return webhookNames.isolation
  return path === ADVICE_PATH ? webhookNames.advice : webhookNames.rewrite
}
