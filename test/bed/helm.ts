import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { findHelm } from './binaries.ts'

/** What a call of helm printed, and its exit code. */
export interface HelmResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Calls helm with folders of its own for all that it keeps. */
export type Helm = (...args: readonly string[]) => Promise<HelmResult>

/** Longest time for one call, ms. */
const TIMEOUT_MS = 120_000

/**
 * Runs `work` with helm, which is found or built first; where it cannot be had, `work` gets undefined, and one loud line says why. With CI
 * set that is a failure.
 */
export async function withHelm(t: Test, work: (helm: Helm | undefined) => Promise<unknown>): Promise<void> {
  t.setTimeout(TIMEOUT_MS * 10)
  const file = await helmFile(t)
  if (file === undefined) return void (await work(undefined))
  const directory = await mkdtemp(join(tmpdir(), 'rightslice-helm-'))
  try {
    await work((...args) => run(file, args, directory))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function helmFile(t: Test): Promise<string | undefined> {
  const why = await findHelm().then(
    (found) => (found.kind === 'found' ? { file: found.paths.helm } : found.how),
    (fault: unknown) => `helm could not be built: ${fault instanceof Error ? fault.message : String(fault)}`
  )
  if (typeof why !== 'string') return why.file
  if (process.env['CI']) t.fail(why)
  process.stderr.write(`\nSKIPPED: tests with helm: ${why}\n\n`)
  return undefined
}

function run(file: string, args: readonly string[], directory: string): Promise<HelmResult> {
  const env = {
    ...process.env,
    HELM_CACHE_HOME: join(directory, 'cache'),
    HELM_CONFIG_HOME: join(directory, 'config'),
    HELM_DATA_HOME: join(directory, 'data')
  }
  const options = { env, timeout: TIMEOUT_MS, maxBuffer: 1 << 26 }
  return new Promise((resolve) => {
    const child = execFile(file, [...args], options, (_fault, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, stdout, stderr })
    })
  })
}
