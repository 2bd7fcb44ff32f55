import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from './config/load.ts'
import { packageVersion } from './config/version.ts'
import { dc1 } from './demo/dc1.ts'
import { connectReviews } from './demo/review-client.ts'
import { renderDemo, renderNextSteps, runDemo, sampleReview } from './demo/run-demo.ts'
import { storesOf } from './gather/snapshot.ts'
import { createLogger } from './observability/logger.ts'
import { createWebhookMetrics } from './observability/webhook-metrics.ts'
import { serveWebhook } from './server/serve.ts'
import { fixedCertificate } from './tls/certificate-slot.ts'
import { makeCertificates } from './tls/make-certificates.ts'

/** What `rightslice demo` was asked. */
export interface DemoOptions {
  /** End after the table. */
  readonly once: boolean
  /** Port of the webhook on the loopback address; 0 takes a free one. */
  readonly port: number
  readonly output: 'text' | 'json'
}

const HOST = '127.0.0.1'

/** The demo: the bundled cluster, the real webhook with a certificate of this run, and reviews sent to it over TLS. */
export async function demo({ once, port, output }: DemoOptions): Promise<void> {
  const { systemNamespaces, schedulers } = await loadConfig({ env: {} })
  const order = { service: 'rightslice', namespace: 'rightslice-system', ipAddresses: [HOST] }
  const { caPem, certPem, keyPem } = await makeCertificates({ ...order, nowMs: Date.now(), validDays: 1 })
  const webhook = await serveWebhook({
    listen: { host: HOST, port, healthPort: 0 },
    certificates: fixedCertificate({ certPem, keyPem }),
    stores: storesOf(dc1),
    settings: { systemNamespaces, schedulers },
    log: createLogger({ level: 'error' }),
    metrics: createWebhookMetrics({ version: await packageVersion(), nowMs: Date.now })
  })
  const url = `${webhook.url}/rewrite`
  const client = connectReviews({ url, caPem, nowMs: () => performance.now() })
  const rows = await runDemo(client)
  client.close()
  process.stdout.write(output === 'json' ? `${JSON.stringify(rows, null, 2)}\n` : renderDemo(rows, url))
  if (!once) await stayUp(webhook.url, caPem)
  await webhook.stop(0)
}

/** Keeps the server up until Ctrl-C, with the files that a person needs to call it. */
async function stayUp(url: string, caPem: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'rightslice-demo-'))
  const caFile = join(directory, 'ca.crt')
  const reviewFile = join(directory, 'review.json')
  await writeFile(caFile, caPem)
  await writeFile(reviewFile, `${JSON.stringify(sampleReview(), null, 2)}\n`)
  const entryFile = process.argv[1] ?? ''
  process.stdout.write(renderNextSteps({ url: `${url}/rewrite`, caFile, reviewFile, entryFile }))
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await rm(directory, { recursive: true })
}
