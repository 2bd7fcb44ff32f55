import { runAudit, wantedNamespace } from './cli/run-audit.ts'
import { loadConfig } from './config/load.ts'
import { systemClock } from './kube/clock.ts'
import { connectCluster } from './kube/connection.ts'
import { pageReader } from './kube/page-reader.ts'

/** What `rightslice audit` was asked. */
export interface AuditOptions {
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace?: string
  readonly allNamespaces?: boolean
  readonly output: 'table' | 'json' | 'markdown'
  readonly failOn?: 'violations'
}

/**
 * `rightslice audit --violations`: judges the pods that run in the cluster that a kubeconfig names. Reads only.
 * @returns the exit code
 * @throws AppError USAGE_WRONG, CONFIG_INVALID, KUBE_UNREACHABLE, KUBE_REFUSED
 */
export async function audit({ kubeconfig, context, ...options }: AuditOptions): Promise<number> {
  const namespace = wantedNamespace(options)
  const settings = await loadConfig()
  const connection = await connectCluster({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context })
  })
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  try {
    return await runAudit({
      reader: pageReader(connection),
      settings,
      namespace,
      output: options.output,
      failOn: options.failOn,
      nowMs: systemClock.nowMs(),
      stdout: process.stdout,
      stderr: process.stderr,
      signal: stopping.signal
    })
  } finally {
    await connection.close()
  }
}
