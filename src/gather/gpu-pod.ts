import { ownAnnotations, PREFIX } from '../core/api/names.ts'
import { fieldOf, stringOf } from '../core/json.ts'
import { gpuTotalOf } from '../core/pod/gpu-total.ts'
import { type PodView, readPod } from '../core/pod/pod-view.ts'
import { replicaGroupOf } from '../core/pod/replica-group.ts'
import { SharedValues } from './shared-values.ts'

/** A pod as capacity is counted: one that lives and asks for GPUs or carries our marks. */
export interface GpuPod {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  /** '' while it is not bound to one. */
  readonly node: string
  readonly phase: string
  /** What it has in common with those that its controller makes of the same template; '' where nobody makes it anew. */
  readonly group: string
  /** What it takes from its node, by GPU resource. */
  readonly requests: Readonly<Record<string, number>>
  /** Our labels and annotations, and those for us; without the sentence for people. */
  readonly marks: Readonly<Record<string, string>>
}

/** Phases in which a pod has given back what it took. */
const ended: ReadonlySet<string> = new Set(['Succeeded', 'Failed'])

/**
 * A reader of pods; it gives undefined for a pod that has ended or is none of our business, so that it takes no memory. What pods
 * have in common (node, namespace, requests, marks) is in memory once. Never throws.
 */
export function gpuPodReader(): (raw: unknown) => GpuPod | undefined {
  const texts = new SharedValues<string>((text) => text)
  const requests = new SharedValues<GpuPod['requests']>(JSON.stringify)
  const marks = new SharedValues<GpuPod['marks']>(JSON.stringify)
  return (raw) => {
    const metadata = fieldOf(raw, 'metadata')
    const name = stringOf(metadata, 'name')
    const phase = stringOf(fieldOf(raw, 'status'), 'phase') ?? 'Unknown'
    if (name === undefined || ended.has(phase)) return undefined
    const pod = readPod(raw, stringOf(metadata, 'namespace') ?? '')
    const asked = gpuTotalOf(pod.containers)
    const carried = marksOf(pod)
    if (Object.keys(asked).length + Object.keys(carried).length === 0) return undefined
    return {
      uid: stringOf(metadata, 'uid') ?? '',
      namespace: texts.of(pod.namespace),
      name,
      node: texts.of(pod.nodeName ?? ''),
      phase: texts.of(phase),
      group: texts.of(replicaGroupOf(pod) ?? ''),
      requests: requests.of(asked),
      marks: marks.of(carried)
    }
  }
}

function marksOf({ labels, annotations }: PodView): GpuPod['marks'] {
  const marks: [string, string][] = []
  for (const map of [labels, annotations]) {
    for (const key of Object.keys(map)) {
      const value = map[key]
      if (value === undefined || !key.startsWith(PREFIX) || key === ownAnnotations.explain) continue
      marks.push([key, value])
    }
  }
  return Object.fromEntries(marks)
}

/** Whether two readings of a pod say the same; what is shared is compared by identity first. */
export function isSameGpuPod(a: GpuPod, b: GpuPod): boolean {
  return (
    a.uid === b.uid &&
    a.node === b.node &&
    a.group === b.group &&
    a.phase === b.phase &&
    isSameRecord(a.requests, b.requests) &&
    isSameRecord(a.marks, b.marks)
  )
}

function isSameRecord(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
