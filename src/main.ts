import { loadConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { readNode } from './core/cluster/node-view.ts'
import { toEffectivePolicy } from './core/policy/effective-policy.ts'
import { readGpuWorkload } from './core/usage/read-gpu-workload.ts'
import type { ClusterStores } from './gather/cluster-state.ts'
import { readNamespace, readOwnerView } from './gather/read-views.ts'
import { systemClock } from './kube/clock.ts'
import { connectCluster, type KubeConnection } from './kube/connection.ts'
import { Reflector } from './kube/reflector.ts'
import { listenForEnd, untilAborted } from './lifecycle/ending.ts'
import { reportInvalidPolicies } from './observability/invalid-policies.ts'
import { createLogger, type RootLog } from './observability/logger.ts'
import { createMetrics } from './observability/metrics.ts'
import type { Log } from './ports/log.ts'
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
  const ending = listenForEnd(log)
  try {
    await runUntil(ending.signal, config, log)
  } finally {
    ending.release()
    log.flush()
  }
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
  const reader = readCluster(connection, log.child({ component: 'kube' }))
  const { nodes, namespaces, policies, workloads, replicaSets, jobs } = reader.stores
  metrics.watchStores({
    nodes,
    namespaces,
    gpupolicies: policies,
    gpuworkloads: workloads,
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

interface ClusterReader {
  readonly stores: ClusterStores
  readonly whenSynced: (signal: AbortSignal) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Nodes are long: 5,000 of them listed in pages of 100 keep the event loop free (delay p99 10 ms, with 500 up to 32 ms). */
const NODE_PAGE_SIZE = 100

/** Mirrors what decisions read; of ReplicaSets and Jobs the metadata only. */
function readCluster(connection: KubeConnection, log: Log): ClusterReader {
  const shared = { connection, clock: systemClock, random: Math.random, log }
  const stores = {
    nodes: new Reflector({
      ...shared,
      resource: { path: '/api/v1/nodes', kind: 'Node' },
      pageSize: NODE_PAGE_SIZE,
      project: readNode
    }),
    namespaces: new Reflector({
      ...shared,
      resource: { path: '/api/v1/namespaces', kind: 'Namespace' },
      project: readNamespace
    }),
    policies: new Reflector({
      ...shared,
      resource: { path: '/apis/rightslice.dev/v1alpha1/gpupolicies', kind: 'GpuPolicy' },
      project: toEffectivePolicy
    }),
    workloads: new Reflector({
      ...shared,
      resource: { path: '/apis/rightslice.dev/v1alpha1/gpuworkloads', kind: 'GpuWorkload' },
      project: readGpuWorkload
    }),
    replicaSets: new Reflector({
      ...shared,
      resource: { path: '/apis/apps/v1/replicasets', kind: 'ReplicaSet' },
      metadataOnly: true,
      project: (raw: unknown) => readOwnerView(raw, 'ReplicaSet')
    }),
    jobs: new Reflector({
      ...shared,
      resource: { path: '/apis/batch/v1/jobs', kind: 'Job' },
      metadataOnly: true,
      project: (raw: unknown) => readOwnerView(raw, 'Job')
    })
  }
  const all = Object.values(stores)
  for (const reflector of all) reflector.start()
  return {
    stores,
    whenSynced: async (signal) => {
      await Promise.all(all.map((reflector) => reflector.synced(signal)))
    },
    stop: async () => {
      await Promise.all(all.map((reflector) => reflector.stop()))
    }
  }
}
