import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanup } from './cleanup.ts'

/** One running program of the bed. */
export type Component = {
  readonly name: string
  readonly pid: number
  /** Standard output and error of the program. */
  readonly logFile: string
  /** Undefined while it runs; then how it ended and the last lines of its log. */
  readonly obituary: () => string | undefined
  /** Settles when the program has ended. */
  readonly ended: Promise<void>
  /** Asks it to end, and after two seconds makes it end. */
  readonly stop: () => Promise<void>
}

/** What is started: a program, its flags, and the folder for its log. */
export type ComponentSpec = {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  readonly directory: string
}

/** How long a program may take to end by itself, ms; its data is thrown away, so little is lost by killing it. */
const STOP_GRACE_MS = 2_000

const LAST_LINES = 20

/**
 * Starts a program of the bed in a session of its own, so that Ctrl-C in a terminal leaves the order of stopping to us.
 * @throws Error when the program cannot be started
 */
export async function startComponent(spec: ComponentSpec, cleanup: Cleanup): Promise<Component> {
  const logFile = join(spec.directory, `${spec.name}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(spec.file, spec.args, {
    cwd: spec.directory,
    detached: true,
    stdio: ['ignore', log, log]
  })
  closeSync(log)
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`${spec.name} did not start (${spec.file})`, { cause })))
    child.once('spawn', () => resolve(child.pid ?? 0))
  })
  cleanup.ownProcess(pid)
  let cause: string | undefined
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      cause = signal ?? `code ${code}`
      cleanup.disownProcess(pid)
      resolve()
    })
  })
  return {
    name: spec.name,
    pid,
    logFile,
    ended,
    obituary: () => (cause === undefined ? undefined : obituaryOf(spec.name, cause, logFile)),
    stop: async () => {
      if (cause !== undefined) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
      await ended
      clearTimeout(timer)
    }
  }
}

function obituaryOf(name: string, cause: string, logFile: string): string {
  return `${name} ended with ${cause}; the end of its log:\n${lastLines(logFile)}`
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n')
  } catch {
    return '(no log)'
  }
}
