import { isDeepStrictEqual } from 'node:util'
import type { JsonRecord } from '../../core/json.ts'
import type { WorkloadObject, WorkloadStatus } from './workload-object.ts'
import { workloadSpec } from './workload-object.ts'

/** Whether the object is about another API version than it says, or not there. */
export function isSpecChanged(object: WorkloadObject | undefined, spec: JsonRecord): boolean {
  return (
    object === undefined ||
    !isDeepStrictEqual(plain(workloadSpec(object.workload, object.apiVersion)), plain(spec))
  )
}

/**
 * Whether a status says something else than before. How many samples there are is not among it: they grow with every cycle and decide
 * nothing, so they are written along with what does; likewise what is kept for a restart, unless it has to be saved now.
 */
export function isStatusChanged(
  before: WorkloadStatus | undefined,
  now: WorkloadStatus,
  mustSave = false
): boolean {
  if (before === undefined || (mustSave && isKeptChanged(before, now))) return true
  return !isDeepStrictEqual(plain(withoutCounts(before)), plain(withoutCounts(now)))
}

function isKeptChanged(before: WorkloadStatus, now: WorkloadStatus): boolean {
  return before.scraped !== now.scraped || before.knownPods !== now.knownPods
}

function withoutCounts(status: WorkloadStatus): WorkloadStatus {
  return {
    ...status,
    scraped: undefined,
    knownPods: undefined,
    containers: status.containers?.map((container) => ({
      ...container,
      history: container.history && { ...container.history, samples: 0 }
    })),
    conditions: status.conditions?.toSorted((a, b) => (a.type < b.type ? -1 : 1))
  }
}

/** As JSON holds it: fields that are undefined are not there. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
