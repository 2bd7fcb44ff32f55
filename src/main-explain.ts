import { readFile } from 'node:fs/promises'
import { readInput } from './cli/read-input.ts'
import { type ExplainRequest, type OpenedCluster, runExplain } from './cli/run-explain.ts'
import { loadConfig } from './config/load.ts'
import { AppError } from './core/errors.ts'
import { fieldOf, stringOf } from './core/json.ts'
import { sceneOf } from './gather/explain/scene.ts'
import { takeSnapshot } from './gather/take-snapshot.ts'
import { systemClock } from './kube/clock.ts'
import { clusterLister } from './kube/cluster-lister.ts'
import { connectCluster, type KubeConnection } from './kube/connection.ts'
import { workloadReader } from './kube/workload-reader.ts'

/** What `rightslice explain` was asked, and which cluster is meant. */
export interface ExplainOptions extends ExplainRequest {
  readonly kubeconfig?: string
  readonly context?: string
}

/**
 * `rightslice explain`: says what happens to pods and why. Reads only.
 * @throws AppError USAGE_WRONG, FILE_INVALID, CONFIG_INVALID, KUBE_UNREACHABLE, KUBE_REFUSED
 */
export async function explain(options: ExplainOptions): Promise<void> {
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  const opened: KubeConnection[] = []
  const { systemNamespaces, schedulers } = await loadConfig()
  try {
    await runExplain(options, {
      readText: readInput,
      readPage: (path) => readFile(new URL(`../docs/${path}`, import.meta.url), 'utf8'),
      openCluster: async (whole) => {
        const connection = await connect(options)
        if (connection === undefined) return undefined
        opened.push(connection)
        return await readCluster(connection, whole, stopping.signal)
      },
      stdout: process.stdout,
      stderr: process.stderr,
      settings: { systemNamespaces, schedulers },
      nowMs: systemClock.nowMs()
    })
  } finally {
    for (const connection of opened) await connection.close()
  }
}

/** @throws AppError CONFIG_INVALID where a kubeconfig was named that cannot be used */
async function connect({ kubeconfig, context }: ExplainOptions): Promise<KubeConnection | undefined> {
  try {
    return await connectCluster({ kubeconfig, context })
  } catch (fault) {
    const isNamed =
      kubeconfig !== undefined || context !== undefined || process.env['KUBECONFIG'] !== undefined
    if (isNamed || !(fault instanceof AppError && fault.code === 'CONFIG_INVALID')) throw fault
    return undefined
  }
}

/** Pods that are asked about are kept whole: isolation rules look at what a snapshot leaves out. */
async function readCluster(
  connection: KubeConnection,
  isWhole: (namespace: string) => boolean,
  signal: AbortSignal
): Promise<OpenedCluster> {
  const whole: unknown[] = []
  const lister = clusterLister(connection, signal)
  const snapshot = await takeSnapshot({
    list: (kind, onObject) =>
      lister.list(kind, (raw) => {
        if (kind === 'pods' && isWhole(stringOf(fieldOf(raw, 'metadata'), 'namespace') ?? '')) whole.push(raw)
        onObject(raw)
      })
  })
  return {
    scene: sceneOf(snapshot, whole),
    name: connection.serverUrl,
    reader: workloadReader(connection, signal)
  }
}
