import { readFile } from 'node:fs/promises'
import { checkInstallation } from './check/checks.ts'
import { readInstallation } from './check/read-installation.ts'
import { readDocuments } from './cli/read-documents.ts'
import { runCheck } from './cli/run-check.ts'
import { runSuggest, type Suggested } from './cli/run-suggest.ts'
import { AppError } from './core/errors.ts'
import { isRecord, type JsonRecord } from './core/json.ts'
import { parseDuration } from './core/policy/duration.ts'
import { storesOf } from './gather/snapshot.ts'
import { takeSnapshot } from './gather/take-snapshot.ts'
import { systemClock } from './kube/clock.ts'
import { clusterLister } from './kube/cluster-lister.ts'
import { connectCluster } from './kube/connection.ts'
import { installationReader } from './kube/installation-reader.ts'

/** What `rightslice check` was asked. */
export interface CheckOptions {
  readonly kubeconfig?: string
  readonly context?: string
  /** Namespace of the installation. */
  readonly namespace: string
  /** A duration such as `2m`. */
  readonly wait?: string
  readonly strict: boolean
  readonly output: 'table' | 'json'
  readonly suggestQuota?: true
  readonly suggestKueue?: true
  /** File to suggest from in place of a cluster. */
  readonly snapshot?: string
}

/**
 * `rightslice check`: prints the state of an installation. Writes nothing; what asks the webhook is a dry run.
 * @returns the exit code
 * @throws AppError USAGE_WRONG, CONFIG_INVALID, KUBE_UNREACHABLE, KUBE_REFUSED
 */
export async function check(options: CheckOptions): Promise<number> {
  const suggested = suggestedBy(options)
  if (suggested !== undefined) return await suggest(suggested, options)
  const { namespace, wait, strict, output } = options
  const waitSeconds = wait === undefined ? 0 : parseDuration(wait)
  if (waitSeconds === undefined)
    throw new AppError('USAGE_WRONG', `--wait ${wait}: write a duration such as 2m`)
  const shipped = await shippedConfigurations()
  const connection = await connectCluster(whereOf(options))
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  const { signal } = stopping
  const parts = {
    reader: installationReader(connection, namespace),
    lister: clusterLister(connection, signal),
    shipped,
    signal
  }
  try {
    return await runCheck({
      look: async () => checkInstallation(await readInstallation({ ...parts, nowMs: systemClock.nowMs() })),
      waitMs: waitSeconds * 1000,
      strict,
      output,
      stdout: process.stdout,
      clock: systemClock,
      signal
    })
  } finally {
    await connection.close()
  }
}

function suggestedBy({ suggestQuota, suggestKueue, snapshot }: CheckOptions): Suggested | undefined {
  if (suggestQuota === true && suggestKueue === true)
    throw new AppError('USAGE_WRONG', 'give --suggest-quota or --suggest-kueue, one at a time')
  if (suggestQuota === true) return 'quota'
  if (suggestKueue === true) return 'kueue'
  if (snapshot !== undefined)
    throw new AppError('USAGE_WRONG', '--snapshot goes with --suggest-quota and --suggest-kueue alone')
  return undefined
}

/** `rightslice check --suggest-…`: prints what an admin should add, from a cluster or a snapshot of one. */
async function suggest(what: Suggested, options: CheckOptions): Promise<number> {
  const { snapshot } = options
  const raw = snapshot === undefined ? await liveSnapshot(whereOf(options)) : await snapshotIn(snapshot)
  runSuggest(what, storesOf(raw), process.stdout)
  return 0
}

async function snapshotIn(file: string): Promise<unknown> {
  const [document] = readDocuments(await readFile(file, 'utf8'), file)
  return document
}

async function liveSnapshot(where: Parameters<typeof connectCluster>[0]): Promise<unknown> {
  const connection = await connectCluster(where)
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  try {
    return await takeSnapshot(clusterLister(connection, stopping.signal))
  } finally {
    await connection.close()
  }
}

function whereOf({ kubeconfig, context }: CheckOptions): {
  kubeconfig?: string
  context?: string
} {
  return {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context })
  }
}

/** The webhook configurations of the manifests that this version comes with. */
async function shippedConfigurations(): Promise<readonly JsonRecord[]> {
  const files = ['webhook.yaml', 'webhook-validating.yaml']
  const texts = await Promise.all(
    files.map((file) => readFile(new URL(`../manifests/base/${file}`, import.meta.url), 'utf8'))
  )
  return texts.flatMap((text, index) => readDocuments(text, files[index] ?? '')).filter(isRecord)
}
