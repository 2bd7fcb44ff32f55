import { ownAnnotations } from '../../core/api/names.ts'
import type { PodRecord } from '../../gather/pod-record.ts'
import type { ContainerEstimate } from './container-estimate.ts'
import { askedStatus, measuredStatus, mebi, onlyWorse } from './container-status.ts'
import type { Subject } from './subject.ts'
import type { ContainerStatus } from './workload-object.ts'

/** How the numbers were read. */
export interface MeasuredScope {
  /** Whether the reading is whole; else no number gets smaller. */
  readonly isComplete: boolean
}

/** One entry a container, sorted: what is measured now, else what was known, and what the newest pod asks for. */
export function containerStatuses(
  subject: Subject,
  found: readonly ContainerEstimate[],
  scope: MeasuredScope
): readonly ContainerStatus[] {
  const before = subject.object?.status?.containers ?? []
  const [newest] = subject.pods
  const asked = newest === undefined ? [] : gpuContainersOf(newest)
  const names = new Set([
    ...asked,
    ...found.map(({ container }) => container),
    ...before
      .map(({ name }) => name)
      .filter((name) => newest === undefined || newest.images[name] !== undefined)
  ])
  return [...names].sort().map((name) => {
    const known = before.find((status) => status.name === name)
    const estimate = found.find(({ container }) => container === name)
    const measured = measuredNow(known, estimate, scope) ??
      sharedStatus(name, subject) ?? { name, evidence: 'Own' }
    return { ...measured, ...(newest === undefined ? {} : askedBy(newest, name)) }
  })
}

function measuredNow(
  known: ContainerStatus | undefined,
  estimate: ContainerEstimate | undefined,
  { isComplete }: MeasuredScope
): ContainerStatus | undefined {
  const hasPeak = known?.peakMemory !== undefined && known.evidence !== 'SharedDevice'
  if (estimate === undefined) return hasPeak ? known : undefined
  const now = measuredStatus(estimate)
  return hasPeak && !isComplete ? onlyWorse(known, now) : now
}

/** What is known of a container that never had a device for itself: no more than an upper bound. */
function sharedStatus(name: string, { bounds }: Subject): ContainerStatus | undefined {
  const own = bounds.filter(({ container }) => container === name)
  if (own.length === 0) return undefined
  const highest = own.reduce((most, { atMostMiB }) => Math.max(most, atMostMiB), 0)
  const days = own.reduce((most, bound) => Math.max(most, bound.days), 0)
  return {
    name,
    peakMemory: mebi(highest),
    evidence: 'SharedDevice',
    history: { coverage: `${days}d` }
  }
}

function askedBy(pod: PodRecord, name: string): Partial<ContainerStatus> {
  const container = pod.view.containers.find((view) => view.name === name)
  return container === undefined ? {} : askedStatus(container, originalResource(pod, name))
}

function gpuContainersOf(pod: PodRecord): readonly string[] {
  return pod.view.containers.flatMap((container) =>
    askedStatus(container, undefined).current === undefined ? [] : container.name
  )
}

/** A pod that we gave a share asked for one whole GPU. */
function originalResource({ view }: PodRecord, container: string): string | undefined {
  const text = view.annotations[ownAnnotations.originalResources] ?? ''
  return text.includes(JSON.stringify(container)) ? 'nvidia.com/gpu' : undefined
}
