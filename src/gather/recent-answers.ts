import { sliceLabel } from '../core/api/names.ts'
import type { ObjectChange, ObjectStore } from '../ports/object-store.ts'
import { Counts } from './counts.ts'
import type { GpuPod } from './gpu-pod.ts'

/** A pod that was given shares, by what is known of it at that time. */
export interface Answer {
  readonly namespace: string
  /** Name of the pod, or the beginning of it followed by `*`. */
  readonly pod: string
  /** What it has in common with others of its template; '' where nobody makes it anew. */
  readonly group: string
  /** Label of its share. */
  readonly share: string
  /** What it will take, by resource. */
  readonly resources: Readonly<Record<string, number>>
}

/**
 * So long an answer counts whose pod nobody has seen, ms. An API server stores a pod within its own limit of 34 s or never, nearly always
 * within milliseconds; a pod that was refused after our answer holds its place so long for nothing.
 */
const REMEMBERED_MS = 15_000

/** Most answers that are remembered: 100 a second for all of that time and more; beyond it the oldest count no more. */
const MOST_ANSWERS = 5_000

interface Remembered extends Answer {
  readonly atMs: number
}

/** Our own answers to pods that the mirror of pods does not show yet, so that a burst is not given one share many times. */
export class RecentAnswers {
  readonly #monotonicMs: () => number
  readonly #endListening: () => void
  readonly #counts = new Counts()
  #answers: Remembered[] = []

  /** @param monotonicMs a clock that nobody sets, ms */
  constructor(pods: ObjectStore<GpuPod>, monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs
    this.#endListening = pods.onChange((changes) => this.#seen(changes))
  }

  /** Remembers that a pod was given shares. */
  answered(answer: Answer): void {
    this.#forgetOld()
    this.#answers.push({ ...answer, atMs: this.#monotonicMs() })
    this.#count(answer, 1)
    if (this.#answers.length > MOST_ANSWERS) this.#forget(0)
  }

  /** How many of `resource` were given to pods that are not seen yet. */
  ofResource(resource: string): number {
    this.#forgetOld()
    return this.#counts.of('resource', resource)
  }

  /** How many pods were given the share and are not seen yet. */
  ofShare(share: string): number {
    this.#forgetOld()
    return this.#counts.of('share', share)
  }

  /** How many pods of the group were given shares and are not seen yet. */
  ofGroup(group: string): number {
    this.#forgetOld()
    return this.#counts.of('group', group)
  }

  /** Ends keeping up. */
  close(): void {
    this.#endListening()
  }

  #seen(changes: readonly ObjectChange<GpuPod>[]): void {
    if (this.#answers.length === 0) return
    for (const { before, after } of changes) {
      if (before !== undefined || after === undefined) continue
      const index = this.#answers.findIndex((answer) => isFor(answer, after))
      if (index !== -1) this.#forget(index)
    }
  }

  #forgetOld(): void {
    const sinceMs = this.#monotonicMs() - REMEMBERED_MS
    while ((this.#answers[0]?.atMs ?? sinceMs) < sinceMs) this.#forget(0)
  }

  #forget(index: number): void {
    for (const answer of this.#answers.splice(index, 1)) this.#count(answer, -1)
  }

  #count({ share, group, resources }: Answer, sign: 1 | -1): void {
    this.#counts.add('share', share, sign)
    this.#counts.add('group', group, sign)
    for (const [resource, count] of Object.entries(resources)) {
      this.#counts.add('resource', resource, sign * count)
    }
  }
}

function isFor({ namespace, pod, share }: Answer, seen: GpuPod): boolean {
  if (seen.namespace !== namespace || seen.marks[sliceLabel] !== share) return false
  return pod.endsWith('*') ? seen.name.startsWith(pod.slice(0, -1)) : seen.name === pod
}
