import { type OwnerLookup, type WorkloadRef, workloadOf } from '../../core/pod/workload.ts'
import type { Attribution } from '../../core/usage/attribution/attribute.ts'
import type { SharedBound } from '../../core/usage/attribution/bounds.ts'
import type { AttributionNote } from '../../core/usage/attribution/tally.ts'
import type { ContainerHistory } from '../../core/usage/block.ts'
import { recordKey } from '../../core/usage/read-gpu-workload.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { WorkloadObject } from './workload-object.ts'

/** Everything that is known of one workload. */
export interface Subject {
  /** Namespace, kind, name and role in one text. */
  readonly key: string
  readonly namespace: string
  readonly workload: WorkloadRef
  /** Live pods, the newest first. */
  readonly pods: readonly PodRecord[]
  /** Pods that ended and are still there, the newest first; their ends tell of the next one. */
  readonly ended: readonly PodRecord[]
  readonly histories: readonly ContainerHistory[]
  /** Highest values of devices that its containers shared. */
  readonly bounds: readonly SharedBound[]
  /** What of it was not believed. */
  readonly notes: readonly AttributionNote[]
  /** Its object, if it has one. */
  readonly object: WorkloadObject | undefined
  /** Further objects about the same workload; only one may stay. */
  readonly duplicates: readonly WorkloadObject[]
}

interface Growing {
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly pods: PodRecord[]
  readonly ended: PodRecord[]
  readonly histories: ContainerHistory[]
  readonly bounds: SharedBound[]
  readonly notes: AttributionNote[]
  readonly objects: WorkloadObject[]
}

/** What is known of the cluster's workloads. */
export interface Known {
  readonly pods: readonly PodRecord[]
  readonly ownerOf: OwnerLookup
  readonly attribution: Pick<Attribution, 'histories' | 'bounds' | 'notes'>
  readonly objects: readonly WorkloadObject[]
}

/**
 * Brings together what is about one workload; sorted by key. Pods that are only exporters are nobody's, and one that has ended makes no
 * subject of a workload of which nothing else is known.
 */
export function gatherSubjects({ pods, ownerOf, attribution, objects }: Known): readonly Subject[] {
  const subjects = new Map<string, Growing>()
  const of = (namespace: string, workload: WorkloadRef): Growing => {
    const key = recordKey(namespace, workload)
    const known = subjects.get(key)
    if (known !== undefined) return known
    const made = newGrowing(namespace, workload)
    subjects.set(key, made)
    return made
  }
  const own = pods.filter(({ exporter }) => exporter === undefined)
  for (const pod of own) {
    if (pod.endedMs === undefined) of(pod.namespace, workloadOf(pod.view, ownerOf)).pods.push(pod)
  }
  for (const history of attribution.histories) {
    of(history.key.namespace, history.key.workload).histories.push(history)
  }
  for (const bound of attribution.bounds) of(bound.namespace, bound.workload).bounds.push(bound)
  for (const note of attribution.notes) of(note.namespace, note.workload).notes.push(note)
  for (const object of objects) of(object.namespace, object.workload).objects.push(object)
  for (const pod of own) {
    if (pod.endedMs === undefined) continue
    subjects.get(recordKey(pod.namespace, workloadOf(pod.view, ownerOf)))?.ended.push(pod)
  }
  return [...subjects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, growing]) => toSubject(key, growing))
}

function newGrowing(namespace: string, workload: WorkloadRef): Growing {
  return { namespace, workload, pods: [], ended: [], histories: [], bounds: [], notes: [], objects: [] }
}

function toSubject(key: string, { objects, pods, ended, ...rest }: Growing): Subject {
  const [object, ...duplicates] = objects.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    key,
    ...rest,
    pods: pods.toSorted(newestFirst),
    ended: ended.toSorted(newestFirst),
    object,
    duplicates
  }
}

function newestFirst(a: PodRecord, b: PodRecord): number {
  return b.createdMs - a.createdMs || (a.uid < b.uid ? -1 : 1)
}
