import { once } from 'node:events'
import Fastify from 'fastify'
import { storesOf } from '../../src/gather/snapshot.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { createWebhookMetrics } from '../../src/observability/webhook-metrics.ts'
import { serveWebhook } from '../../src/server/serve.ts'
import { fixedCertificate } from '../../src/tls/certificate-slot.ts'
import { makeCertificates } from '../../src/tls/make-certificates.ts'
import { fleet } from './fleet.ts'

/** One server of the comparison, in a process of its own: `node targets.ts echo|webhook`; says its port, then its CPU time on demand. */
const HOST = '127.0.0.1'
const NODES = 1000

async function startEcho(certPem: string, keyPem: string): Promise<number> {
  const app = Fastify({ https: { cert: certPem, key: keyPem }, logger: false, bodyLimit: 7 * 1024 * 1024 })
  app.post('/rewrite', (request, reply) => reply.send(request.body))
  return Number(new URL(await app.listen({ host: HOST, port: 0 })).port)
}

async function startRewrite(certPem: string, keyPem: string): Promise<number> {
  const webhook = await serveWebhook({
    listen: { host: HOST, port: 0, healthPort: 0 },
    certificates: fixedCertificate({ certPem, keyPem }),
    stores: storesOf(fleet(NODES)),
    settings: { systemNamespaces: ['kube-system'], schedulers: ['default-scheduler'] },
    log: createLogger({ level: 'info' }),
    metrics: createWebhookMetrics({ version: '0.0.0', nowMs: Date.now })
  })
  return Number(new URL(webhook.url).port)
}

const order = { service: 'rightslice', namespace: 'rightslice-system', ipAddresses: [HOST] }
const { certPem, keyPem } = await makeCertificates({ ...order, nowMs: Date.now(), validDays: 1 })
const port = await (process.argv[2] === 'echo' ? startEcho : startRewrite)(certPem, keyPem)
process.send?.({ port })
process.on('message', () =>
  process.send?.({ cpuMicros: sum(process.cpuUsage()), rssMiB: process.memoryUsage.rss() / 2 ** 20 })
)
await once(process, 'disconnect')
process.exit(0)

function sum({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}
