import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The holder touches its lock this often, ms; a lock silent for three times as long is stale. */
const HEARTBEAT_MS = 10_000

/**
 * Runs `work` while holding the only lock of `directory`; waits for another live holder first.
 * A lock whose process is gone, or which its holder no longer touches, is taken over.
 * @param onWait called once when another process holds the lock, with its name
 */
export async function withBuildLock<T>(
  directory: string,
  work: () => Promise<T>,
  onWait: (holder: string) => void
): Promise<T> {
  const lockFile = join(directory, 'lock')
  await acquire(lockFile, onWait)
  const heartbeat = setInterval(() => {
    const now = new Date()
    utimes(lockFile, now, now).catch(() => undefined)
  }, HEARTBEAT_MS)
  heartbeat.unref()
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    await rm(lockFile, { force: true })
  }
}

async function acquire(lockFile: string, onWait: (holder: string) => void): Promise<void> {
  const claimFile = `${lockFile}.${randomUUID()}`
  let hasTold = false
  await writeFile(claimFile, `${hostname()} ${process.pid}`)
  try {
    while (!(await takeLock(claimFile, lockFile))) {
      const holder = await readHolder(lockFile)
      if (holder?.isStale) {
        await rename(lockFile, `${claimFile}.stale`).catch(() => undefined)
        continue
      }
      if (holder && !hasTold) onWait(holder.name)
      hasTold ||= holder !== undefined
      await delay(500)
    }
  } finally {
    await rm(claimFile, { force: true })
    await rm(`${claimFile}.stale`, { force: true })
  }
}

/** A hard link appears with its content or not at all, so a lock is never seen half written. */
async function takeLock(claimFile: string, lockFile: string): Promise<boolean> {
  const now = new Date()
  await utimes(claimFile, now, now)
  try {
    await link(claimFile, lockFile)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

async function readHolder(lockFile: string): Promise<{ name: string; isStale: boolean } | undefined> {
  try {
    const [name, { mtimeMs }] = await Promise.all([readFile(lockFile, 'utf8'), stat(lockFile)])
    const [host, pid] = name.split(' ')
    const isGone = host === hostname() && !isAlive(Number(pid))
    return { name, isStale: isGone || Date.now() - mtimeMs > 3 * HEARTBEAT_MS }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
