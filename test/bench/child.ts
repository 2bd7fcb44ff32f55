import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fieldOf } from '../../src/core/json.ts'
import type { LoadOrder, LoadResult } from './sender/load.ts'

/** How a process is started besides its file and arguments. */
export interface ForkOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node. */
  readonly node?: readonly string[]
}

/** Starts a file in a process of its own, with nothing heard of it but its messages and its faults. */
export function forkFile(
  file: URL,
  args: readonly string[] = [],
  { env = {}, node = [] }: ForkOptions = {}
): ChildProcess {
  return fork(fileURLToPath(file), [...args], {
    env: { ...process.env, ...env },
    execArgv: [...node],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
}

/** @throws when the child ends before it says anything */
export async function messageOf(child: ChildProcess): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onExit = (code: number | null): void => reject(new Error(`the child ended: ${code}`))
  child.once('message', resolve)
  child.once('exit', onExit)
  try {
    return await promise
  } finally {
    child.off('message', resolve)
    child.off('exit', onExit)
  }
}

/** Asks a child for something and waits for what it says. */
export async function ask(child: ChildProcess, wish: string): Promise<unknown> {
  child.send(wish)
  return await messageOf(child)
}

/** What a target used so far. */
export interface Usage {
  readonly cpuMs: number
  readonly rssMiB: number
}

/** What a target of `targets.ts` used so far. */
export async function usageOf(target: ChildProcess): Promise<Usage> {
  const usage = await ask(target, 'usage')
  return { cpuMs: Number(fieldOf(usage, 'cpuMicros')) / 1000, rssMiB: Number(fieldOf(usage, 'rssMiB')) }
}

/** A sender in a process of its own, so that it does not wait for what it measures. */
export function startSender(): ChildProcess {
  return forkFile(new URL('sender/load-child.ts', import.meta.url))
}

/** Has the sender send a load. */
export async function sendBy(sender: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  sender.send(order)
  return (await messageOf(sender)) as LoadResult // what load-child.ts sends
}
