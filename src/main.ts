import { commonMirrors, startReading } from './compose/cluster-reader.ts'
import { loadConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { toEffectivePolicy } from './core/policy/effective-policy.ts'
import { readExemption } from './core/policy/exemption.ts'
import { readGpuWorkload } from './core/usage/read-gpu-workload.ts'
import { systemClock } from './kube/clock.ts'
import { connectCluster } from './kube/connection.ts'
import { runUntilEnded, untilAborted } from './lifecycle/ending.ts'
import { reportInvalidPolicies } from './observability/invalid-policies.ts'
import { createLogger, type RootLog } from './observability/logger.ts'
import { createMetrics } from './observability/metrics.ts'
import { serveWebhook } from './server/serve.ts'
import { readCertificates } from './tls/read-certificates.ts'

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
  await runUntilEnded(log, (ending) => runUntil(ending, config, log))
}

async function runUntil(ending: AbortSignal, config: Config, log: RootLog): Promise<void> {
  const certificate = await readCertificates(
    { certFile: config.tlsCertFile, keyFile: config.tlsKeyFile },
    systemClock.nowMs()
  )
  const connection = await connectCluster({ kubeconfig: config.kubeconfig })
  log.info({ config, cluster: connection.serverUrl }, 'webhook starts')
  const metrics = createMetrics(() => systemClock.nowMs())
  metrics.certificateEnds(certificate.notAfterMs)
  const reader = startReading(
    commonMirrors(
      { connection, log: log.child({ component: 'kube' }) },
      { policy: toEffectivePolicy, workload: readGpuWorkload, exemption: readExemption }
    )
  )
  const { nodes, namespaces, policies, workloads, exemptions, replicaSets, jobs } = reader.stores
  metrics.watchStores({
    nodes,
    namespaces,
    gpupolicies: policies,
    gpuworkloads: workloads,
    gpuexemptions: exemptions,
    replicasets: replicaSets,
    jobs
  })
  const endReport = reportInvalidPolicies({
    policies,
    log: log.child({ component: 'policies' }),
    metrics
  })
  try {
    const webhook = await serveWebhook({
      listen: { host: config.listenHost, port: config.listenPort, healthPort: config.healthPort },
      certificate,
      stores: reader.stores,
      whenSynced: reader.whenSynced,
      settings: { systemNamespaces: config.systemNamespaces, schedulers: config.schedulers },
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
    await reader.stop()
    await connection.close()
  }
}
