import { findBinaries } from '../bed/binaries.ts'
import { type Simulator, startSimulator } from '../bed/simulator.ts'
import { type Bed, startBed } from '../bed/start-bed.ts'

/** Pods are not to be bound to nodes, and nothing besides etcd and the API server is to take its share of the machine. */
export const smallBed = { startScheduler: false, startControllerManager: false } as const

/**
 * Runs `work` on a bed of its own, and stops the bed however it ends.
 * @throws Error when the programs of the bed are missing
 */
export async function withBed(work: (bed: Bed, simulator: Simulator) => Promise<void>): Promise<void> {
  const found = await findBinaries()
  if (found.kind === 'missing') throw new Error(found.how)
  const bed = await startBed({ binaries: found.paths, ...smallBed })
  const simulator = startSimulator(bed)
  try {
    await work(bed, simulator)
  } finally {
    await simulator.stop()
    await bed.stop()
  }
}
