import { hostname } from 'node:os'
import { type KeptCertificates, openCertificates } from './compose/certificates.ts'
import { commonMirrors, startReading } from './compose/cluster-reader.ts'
import { deviceMirrors } from './compose/device-mirrors.ts'
import { readGpuPods } from './compose/gpu-pods.ts'
import { limitMirrors } from './compose/limit-mirrors.ts'
import { loadConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { packageVersion } from './config/version.ts'
import { toEffectivePolicy } from './core/policy/effective-policy.ts'
import { readExemption } from './core/policy/exemption.ts'
import { readGpuWorkload } from './core/usage/read-gpu-workload.ts'
import { JoinedNodes } from './gather/devices/joined-nodes.ts'
import { systemClock } from './kube/clock.ts'
import { connectCluster, type KubeConnection } from './kube/connection.ts'
import { runUntilEnded, untilAborted } from './lifecycle/ending.ts'
import { reportInvalidPolicies } from './observability/invalid-policies.ts'
import { createLogger, type RootLog } from './observability/logger.ts'
import { openTracer } from './observability/open-tracer.ts'
import { createWebhookMetrics, type WebhookMetrics } from './observability/webhook-metrics.ts'
import type { ReviewTracer } from './ports/review-tracer.ts'
import type { ClientAuthority } from './server/secure-options.ts'
import { serveWebhook } from './server/serve.ts'
import { readClientAuthority } from './tls/read-certificates.ts'

/** Longest time that closing everything may take after the drain; pods are given 15 s for it. */
const CLOSE_SECONDS = 10

/**
 * `rightslice webhook`: reads the settings and runs.
 * @param file YAML file with settings by key
 * @throws AppError CONFIG_INVALID with every fault, CERTIFICATE_INVALID
 */
export async function main(file?: string): Promise<void> {
  await runWebhook(await loadConfig({ file }))
}

/**
 * Runs the webhook until a signal ends it: reads the cluster, answers reviews, drains, stops.
 * @throws AppError CONFIG_INVALID, CERTIFICATE_INVALID before anything is opened
 */
export async function runWebhook(config: Config): Promise<void> {
  const log = createLogger({ level: config.logLevel })
  const graceSeconds = config.drainSeconds + CLOSE_SECONDS
  await runUntilEnded({ log, graceSeconds }, (ending) => runUntil(ending, config, log))
}

async function runUntil(ending: AbortSignal, config: Config, log: RootLog): Promise<void> {
  const connection = await connectCluster({ kubeconfig: config.kubeconfig })
  const version = await packageVersion()
  const metrics = createWebhookMetrics({ version, nowMs: () => systemClock.nowMs() })
  const endKeeping = new AbortController()
  try {
    const certificates = await openCertificates(config, {
      connection,
      log: log.child({ component: 'certificates' }),
      metrics
    })
    const clients = await readClients(config)
    log.info({ config, cluster: connection.serverUrl }, 'webhook starts')
    const tracer = await openTracer({
      endpoint: config.otlpEndpoint,
      version,
      instance: hostname(),
      log: log.child({ component: 'traces' })
    })
    const keeping = certificates.run(endKeeping.signal)
    try {
      await serve(ending, config, { connection, certificates, clients, metrics, tracer, log })
    } finally {
      endKeeping.abort()
      await keeping
      await tracer?.close()
    }
  } finally {
    await connection.close()
  }
}

async function readClients({ clientCaFile, clientNames }: Config): Promise<ClientAuthority | undefined> {
  if (clientCaFile === undefined) return undefined
  return { caPem: await readClientAuthority(clientCaFile), names: clientNames }
}

interface WebhookParts {
  readonly connection: KubeConnection
  readonly certificates: KeptCertificates
  readonly clients: ClientAuthority | undefined
  readonly metrics: WebhookMetrics
  readonly tracer: ReviewTracer | undefined
  readonly log: RootLog
}

async function serve(ending: AbortSignal, config: Config, parts: WebhookParts): Promise<void> {
  const { connection, certificates, clients, metrics, tracer, log } = parts
  const means = {
    connection,
    log: log.child({ component: 'kube' }),
    checkMs: config.driftCheckSeconds * 1000
  }
  const reader = startReading({
    ...commonMirrors(means, {
      policy: toEffectivePolicy,
      workload: readGpuWorkload,
      exemption: readExemption
    }),
    ...limitMirrors(means),
    ...deviceMirrors(means, 'labelled')
  })
  const nodes = new JoinedNodes(reader.stores)
  const gpuPods = readGpuPods(means)
  const staleAfterMs = config.staleSeconds * 1000
  metrics.watchStores({ ...reader.stores, pods: gpuPods.store })
  metrics.watchStaleness({ ...reader.stores }, staleAfterMs)
  const endReport = reportInvalidPolicies({
    policies: reader.stores.policies,
    log: log.child({ component: 'policies' }),
    metrics
  })
  try {
    const webhook = await serveWebhook({
      listen: { host: config.listenHost, port: config.listenPort, healthPort: config.healthPort },
      certificates,
      ...(clients === undefined ? {} : { clients }),
      ...(tracer === undefined ? {} : { tracer }),
      stores: { ...reader.stores, nodes },
      pods: gpuPods.store,
      whenSynced: reader.whenSynced,
      settings: { systemNamespaces: config.systemNamespaces, schedulers: config.schedulers, staleAfterMs },
      log: log.child({ component: 'server' }),
      metrics,
      signal: ending
    }).catch((error: unknown) => {
      if (!ending.aborted) throw error // a signal while starting is an end like any other
    })
    if (webhook === undefined) return
    await untilAborted(ending)
    await webhook.stop(config.drainSeconds)
  } finally {
    endReport()
    nodes.close()
    await gpuPods.stop()
    await reader.stop()
  }
}
