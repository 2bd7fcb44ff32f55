import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { CreationBatch, CreationOrder } from './creations.ts'
import type { CreationWish } from './creations-child.ts'

/** Pods that are being created, by a process of its own. */
export interface CreationLoad {
  /** What was finished since the last call. */
  take(): Promise<CreationBatch>
  /** Sends nothing new and waits for the answers that are due. */
  end(): Promise<CreationBatch>
  /** Ends the process, at once. */
  close(): void
}

/** Begins to create pods; resolves when the first is on its way. */
export async function startCreations(order: CreationOrder): Promise<CreationLoad> {
  const child = fork(fileURLToPath(new URL('creations-child.ts', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`the process that creates pods ended with code ${String(code)}`)
  })
  died.catch(() => undefined) // whoever asks meanwhile sees it
  const ask = (wish: CreationWish): Promise<CreationBatch> => {
    const { promise, resolve } = Promise.withResolvers<CreationBatch>()
    child.once('message', (batch: CreationBatch) => resolve(batch))
    child.send(wish)
    return Promise.race([promise, died])
  }
  await ask({ kind: 'begin', order })
  return {
    take: () => ask({ kind: 'take' }),
    end: () => ask({ kind: 'end' }),
    close: () => {
      if (child.connected) child.disconnect()
    }
  }
}
