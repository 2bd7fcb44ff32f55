import { readDocuments } from './cli/read-documents.ts'
import { readInput } from './cli/read-input.ts'
import { parsePrices, runCandidates } from './cli/run-candidates.ts'
import { measureSnapshot, podsOfSnapshot } from './compose/measured-snapshot.ts'
import { openSources } from './compose/usage-sources.ts'
import { loadConfig } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { AppError } from './core/errors.ts'
import { type PodRecord, readPodRecord } from './gather/pod-record.ts'
import { readSnapshot, type Snapshot } from './gather/snapshot.ts'
import { staticStore } from './gather/static-store.ts'
import { takeSnapshot } from './gather/take-snapshot.ts'
import { systemClock } from './kube/clock.ts'
import { clusterLister } from './kube/cluster-lister.ts'
import { connectCluster, type KubeConnection } from './kube/connection.ts'
import type { ClusterLister } from './ports/cluster-lister.ts'
import type { Log } from './ports/log.ts'
import type { UsageReading } from './ports/usage-source.ts'

/** What `rightslice candidates` was asked. */
export interface CandidatesOptions {
  readonly kubeconfig?: string
  readonly context?: string
  /** File of `rightslice snapshot`, in place of a cluster. */
  readonly offline?: string
  /** Address of the metrics server. */
  readonly prometheus?: string
  /** `MODEL=USD` each. */
  readonly price: readonly string[]
  readonly output: 'table' | 'json' | 'markdown'
  readonly failOn?: 'candidates'
}

/** Exit code where `--fail-on` names what was found. */
const FOUND = 4

/**
 * `rightslice candidates`: prints what could share and what that would free, from the peaks of GpuWorkloads, or straight from the metrics
 * server where one is named or nothing is known yet. Reads only.
 * @returns the exit code
 * @throws AppError USAGE_WRONG, FILE_INVALID, CONFIG_INVALID, KUBE_UNREACHABLE, KUBE_REFUSED, SOURCE_UNREACHABLE
 */
export async function candidates(options: CandidatesOptions): Promise<number> {
  const priceUsdPerHour = parsePrices(options.price)
  const loaded = await loadConfig()
  const config = options.prometheus === undefined ? loaded : { ...loaded, prometheusUrl: options.prometheus }
  const { snapshot, source } = await withCluster(options, (cluster) => measure(cluster, config, options))
  process.stderr.write(`peaks from ${source}\n`)
  const freed = runCandidates({
    snapshot,
    sources: { settings: config, priceUsdPerHour, nowMs: Date.now() },
    source,
    nowMs: systemClock.nowMs(),
    output: options.output,
    stdout: process.stdout
  })
  return options.failOn === 'candidates' && freed > 0 ? FOUND : 0
}

/** What is looked at: a cluster, or a file. */
interface Cluster {
  readonly snapshot: Snapshot
  readonly pods: readonly PodRecord[]
  readonly connection: KubeConnection
  readonly signal: AbortSignal
}

async function withCluster<T>(
  { offline, kubeconfig, context }: CandidatesOptions,
  work: (cluster: Cluster) => Promise<T>
): Promise<T> {
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  const { signal } = stopping
  if (offline !== undefined) {
    const [document] = readDocuments(await readInput(offline), offline)
    const snapshot = readSnapshot(document)
    return await work({ snapshot, pods: podsOfSnapshot(snapshot), connection: noCluster, signal })
  }
  const where = {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context })
  }
  const connection = await connectOrSayHow(where)
  try {
    return await work({ ...(await readCluster(clusterLister(connection, signal))), connection, signal })
  } finally {
    await connection.close()
  }
}

/** @throws AppError CONFIG_INVALID, which names the way without a cluster */
async function connectOrSayHow(where: Parameters<typeof connectCluster>[0]): Promise<KubeConnection> {
  try {
    return await connectCluster(where)
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    const message = `${cause.message}; --offline FILE reads a file of rightslice snapshot instead of a cluster`
    throw new AppError(cause.code, message, { cause })
  }
}

/** Pods are read once, for the snapshot and with their times. */
async function readCluster(lister: ClusterLister): Promise<Pick<Cluster, 'snapshot' | 'pods'>> {
  const pods: PodRecord[] = []
  const snapshot = await takeSnapshot({
    list: (kind, onObject) =>
      lister.list(kind, (raw) => {
        if (kind === 'pods') pods.push(...[readPodRecord(raw) ?? []].flat())
        onObject(raw)
      })
  })
  return { snapshot, pods }
}

async function measure(
  { snapshot, pods, connection, signal }: Cluster,
  config: Config,
  { offline, prometheus }: CandidatesOptions
): Promise<{ readonly snapshot: Snapshot; readonly source: string }> {
  const isKnown = snapshot.workloads.length > 0 || offline !== undefined
  if (prometheus === undefined && isKnown) return { snapshot, source: 'GpuWorkloads' }
  const address = { url: config.prometheusUrl }
  const log = noteAddress(address)
  const usage = { ...config, usageSource: 'prometheus' as const }
  const { source } = openSources(usage, { connection, stores: noStores, log })
  try {
    const settings = { systemNamespaces: config.systemNamespaces, schedulers: config.schedulers }
    const measured = await measureSnapshot({
      snapshot,
      pods,
      source,
      settings,
      clock: systemClock,
      log,
      signal
    })
    tellReading(measured.reading)
    return { snapshot: measured.snapshot, source: address.url ?? 'the metrics server' }
  } finally {
    await source.close()
  }
}

/** A reading that is not whole is told; one that failed ends the command, since it would look like an empty cluster. */
function tellReading(reading: UsageReading | undefined): void {
  if (reading === undefined || reading.status === 'complete') return
  const faults = reading.faults.map(({ message }) => message).join('; ')
  if (reading.status === 'failed') {
    throw new AppError(
      'SOURCE_UNREACHABLE',
      `GPU metrics cannot be read: ${faults}; --prometheus names a server`
    )
  }
  process.stderr.write(`warning: GPU metrics were read in part, so nothing new is trusted: ${faults}\n`)
}

/** Only what is wrong is for people; the address of a server that was found by its labels is noted. */
function noteAddress(address: { url: string | undefined }): Log {
  const tell = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    process.stderr.write(`warning: ${message} ${fields.err instanceof Error ? fields.err.message : ''}\n`)
  }
  return {
    debug: () => undefined,
    info: ({ url }) => {
      if (typeof url === 'string') address.url = url
    },
    warn: tell,
    error: tell
  }
}

/** What `--offline` has in place of a cluster; it is asked for nothing. */
const noCluster: KubeConnection = {
  serverUrl: 'none',
  request: () => Promise.reject(new AppError('KUBE_UNREACHABLE', '--offline asks no cluster')),
  close: () => Promise.resolve()
}

const empty = staticStore<never>([], () => ({ namespace: '', name: '' }))

/** Stores are looked at to find exporters alone, and none are asked here. */
const noStores: Parameters<typeof openSources>[1]['stores'] = {
  nodes: empty,
  namespaces: empty,
  policies: empty,
  workloads: empty,
  pods: empty,
  replicaSets: empty,
  jobs: empty,
  exemptions: empty
}
