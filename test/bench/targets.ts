import { once } from 'node:events'
import Fastify from 'fastify'
import { storesOf } from '../../src/gather/snapshot.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { createWebhookMetrics, type WebhookMetrics } from '../../src/observability/webhook-metrics.ts'
import { serveWebhook } from '../../src/server/serve.ts'
import { fixedCertificate } from '../../src/tls/certificate-slot.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { fleet } from './fleet.ts'
import { ShedWatch } from './shed-watch.ts'

/**
 * One server of the comparison, in a process of its own: `node targets.ts echo|webhook`; says its port, then on demand what it used, and how
 * long what it sent back between `watch` and `watched` can have waited.
 */
const HOST = '127.0.0.1'
const NODES = 1000

const shedWatch = new ShedWatch()

async function startEcho(certPem: string, keyPem: string): Promise<number> {
  const app = Fastify({ https: { cert: certPem, key: keyPem }, logger: false, bodyLimit: 7 * 1024 * 1024 })
  for (const path of ['/rewrite', '/isolation', '/advice']) {
    app.post(path, (request, reply) => reply.send(request.body))
  }
  return Number(new URL(await app.listen({ host: HOST, port: 0 })).port)
}

async function startWebhook(certPem: string, keyPem: string): Promise<number> {
  const webhook = await serveWebhook({
    listen: { host: HOST, port: 0, healthPort: 0 },
    certificates: fixedCertificate({ certPem, keyPem }),
    stores: storesOf(fleet(NODES)),
    settings: { systemNamespaces: ['kube-system'], schedulers: ['default-scheduler'] },
    log: createLogger({ level: 'info' }),
    metrics: watched(createWebhookMetrics({ version: '0.0.0', nowMs: Date.now }))
  })
  return Number(new URL(webhook.url).port)
}

/** The same metrics; the watch hears of what is sent back, too. */
function watched(metrics: WebhookMetrics): WebhookMetrics {
  return {
    ...metrics,
    shed: (webhook, cause) => {
      metrics.shed(webhook, cause)
      shedWatch.shed()
    }
  }
}

function usage(): object {
  const { user, system } = process.cpuUsage()
  return { cpuMicros: user + system, rssMiB: process.memoryUsage.rss() / 2 ** 20 }
}

const order = { service: 'rightslice', namespace: 'rightslice-system', ipAddresses: [HOST] }
const { certPem, keyPem } = await makeCertificates({ ...order, nowMs: Date.now(), validDays: 1 })
const port = await (process.argv[2] === 'echo' ? startEcho : startWebhook)(certPem, keyPem)
process.send?.({ port })
process.on('message', (wish) => {
  if (wish === 'watch') shedWatch.start()
  process.send?.(wish === 'watched' ? shedWatch.stop() : usage())
})
await once(process, 'disconnect')
process.exit(0)
