import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import type { Log } from '../../ports/log.ts'
import type { ObjectWriter } from '../../ports/object-writer.ts'
import { runPool } from '../write-pool.ts'
import type { DesireScope } from './desire-workload.ts'
import { keptPodsText } from './kept-pods.ts'
import { isStatusChanged } from './material-change.ts'
import { keptText } from './scraped-maxima.ts'
import type { WorkloadObject, WorkloadStatus } from './workload-object.ts'

/** What is kept for a restart, as it is now, and where it goes. */
export interface SavedScope extends Pick<DesireScope, 'maxima' | 'podsOf'> {
  /** Names of the pods whose maxima are kept with a workload, by its key; undefined where none are. */
  readonly namesOf: (key: string) => readonly string[] | undefined
  readonly writer: ObjectWriter
  readonly log: Log
}

/** How saving went; `lost` are those that could not be written, and those for which the time did not suffice. */
export interface SavedReport {
  readonly saved: number
  readonly lost: number
}

/** Writes what is kept for a restart into objects that say otherwise, and nothing else, until `signal` aborts. */
export async function saveKept(
  objects: readonly WorkloadObject[],
  scope: SavedScope,
  signal: AbortSignal
): Promise<SavedReport> {
  const { writer, log } = scope
  const writes = objects.flatMap((object) => {
    const status = withKept(object, scope)
    return status !== undefined && isStatusChanged(object.status, status, true) ? [{ object, status }] : []
  })
  const report = await runPool(
    writes,
    async ({ object: { namespace, name }, status }) => {
      await writer.applyStatus({ kind: 'GpuWorkload', namespace, name }, { ...status }, signal)
    },
    {
      signal,
      onFault: ({ object: { namespace, name } }, err) =>
        log.warn({ workload: `${namespace}/${name}`, err }, 'workload not saved')
    }
  )
  const lost = report.failed + report.left
  return { saved: writes.length - lost, lost }
}

/** Status with what is kept as it is now; undefined where the object has none yet. */
function withKept(
  { namespace, workload, status }: WorkloadObject,
  { maxima, podsOf, namesOf }: SavedScope
): WorkloadStatus | undefined {
  if (status === undefined) return undefined
  const key = recordKey(namespace, workload)
  const names = namesOf(key)
  const isGathered = maxima !== undefined && names !== undefined
  const scraped = isGathered ? keptText(namespace, names, maxima) : status.scraped
  return { ...status, scraped, knownPods: keptPodsText(podsOf(key)) }
}
