import { setTimeout as pause } from 'node:timers/promises'
import type { Bed } from '../bed/start-bed.ts'

/** Deletes the pods that were created, so that they do not pile up. */
export interface Sweeper {
  stop(): Promise<void>
}

/** Pause between two sweeps, ms. */
const SWEEP_EVERY_MS = 2_000

/** Deletes all pods of a namespace again and again; while the API server is away there is nothing to delete. */
export function startSweeper(bed: Bed, namespace: string): Sweeper {
  const end = new AbortController()
  const sweep = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await bed
        .request('DELETE', `/api/v1/namespaces/${namespace}/pods?gracePeriodSeconds=0`)
        .catch(() => undefined)
      await pause(SWEEP_EVERY_MS, undefined, { signal: end.signal }).catch(() => undefined)
    }
  }
  const sweeping = sweep()
  return {
    stop: async () => {
      end.abort()
      await sweeping
    }
  }
}
