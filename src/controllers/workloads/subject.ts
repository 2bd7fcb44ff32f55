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

/** Brings together what is about one workload; sorted by key. Pods that are only exporters, or have ended, are nobody's. */
export function gatherSubjects({ pods, ownerOf, attribution, objects }: Known): readonly Subject[] {
  const subjects = new Map<string, Growing>()
  const of = (namespace: string, workload: WorkloadRef): Growing => {
    const key = recordKey(namespace, workload)
    const known = subjects.get(key)
    if (known !== undefined) return known
    const made: Growing = { namespace, workload, pods: [], histories: [], bounds: [], notes: [], objects: [] }
    subjects.set(key, made)
    return made
  }
  for (const pod of pods) {
    if (isLive(pod)) of(pod.namespace, workloadOf(pod.view, ownerOf)).pods.push(pod)
  }
  for (const history of attribution.histories) {
    of(history.key.namespace, history.key.workload).histories.push(history)
  }
  for (const bound of attribution.bounds) of(bound.namespace, bound.workload).bounds.push(bound)
  for (const note of attribution.notes) of(note.namespace, note.workload).notes.push(note)
  for (const object of objects) of(object.namespace, object.workload).objects.push(object)
  return [...subjects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, growing]) => toSubject(key, growing))
}

function isLive({ endedMs, exporter }: PodRecord): boolean {
  return exporter === undefined && endedMs === undefined
}

function toSubject(key: string, { objects, pods, ...rest }: Growing): Subject {
  const [object, ...duplicates] = objects.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return { key, ...rest, pods: pods.toSorted(newestFirst), object, duplicates }
}

function newestFirst(a: PodRecord, b: PodRecord): number {
  return b.createdMs - a.createdMs || (a.uid < b.uid ? -1 : 1)
}
