import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../ports/clock.ts'
import type { ObjectStore } from '../../ports/object-store.ts'
import type { PageReader } from '../../ports/page-reader.ts'
import { readWorkloadObject, type WorkloadObject } from './workload-object.ts'

/** Longest wait for the mirror, ms; a watch is behind by less than a second, unless something is wrong with it. */
const LONGEST_WAIT_MS = 10_000

/** Pause between two looks at the mirror, ms. */
const PAUSE_MS = 100

/** What catching up needs. */
export interface CatchUpParts {
  readonly reader: PageReader
  /** The mirror that is waited for. */
  readonly workloads: ObjectStore<WorkloadObject>
  readonly clock: Clock
}

/** An object of the API server, and what the mirror had in its place. */
interface Awaited {
  readonly now: WorkloadObject
  readonly mirrored: WorkloadObject | undefined
}

/**
 * Waits until the mirror has every GpuWorkload as the API server has it now: who led before may have saved in them what the next leader
 * goes on with, a moment before it began.
 * @returns how many the mirror still had otherwise at the end of its time
 * @throws AppError when they cannot be read
 */
export async function catchUp(parts: CatchUpParts, signal: AbortSignal): Promise<number> {
  const { workloads, clock } = parts
  const untilMs = clock.monotonicMs() + LONGEST_WAIT_MS
  let awaited = await readBehind(parts, signal)
  while (awaited.length > 0 && !signal.aborted && clock.monotonicMs() < untilMs) {
    await clock.sleep(PAUSE_MS, signal)
    awaited = awaited.filter((one) => isBehind(one, workloads))
  }
  return awaited.length
}

/** Only those that differ are kept, so that a page at a time takes memory. */
async function readBehind(
  { reader, workloads }: CatchUpParts,
  signal: AbortSignal
): Promise<readonly Awaited[]> {
  const behind: Awaited[] = []
  const takePage = async (objects: readonly unknown[]): Promise<void> => {
    for (const now of objects.flatMap((raw) => readWorkloadObject(raw) ?? [])) {
      const one = { now, mirrored: workloads.get(now.namespace, now.name) }
      if (isBehind(one, workloads)) behind.push(one)
    }
  }
  await reader.read({ kind: 'gpuworkloads' }, takePage, signal)
  return behind
}

/** A mirror that has moved on in the meantime is not behind. */
function isBehind({ now, mirrored }: Awaited, workloads: ObjectStore<WorkloadObject>): boolean {
  const current = workloads.get(now.namespace, now.name)
  return current === mirrored && !isDeepStrictEqual(current, now)
}
