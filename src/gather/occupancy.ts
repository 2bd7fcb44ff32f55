import type { Sibling } from '../core/decision/decision.ts'
import type { Capacity } from '../core/sharing/capacity.ts'
import type { NodeIndex } from '../core/sharing/node-index.ts'
import type { ObjectStore } from '../ports/object-store.ts'
import { GpuDemand } from './gpu-demand.ts'
import type { GpuPod } from './gpu-pod.ts'
import { NodeCapacity } from './node-capacity.ts'
import { type Answer, RecentAnswers } from './recent-answers.ts'

/** What pods take of what nodes offer, and what was answered to pods that are still to come. */
export class Occupancy {
  readonly #pods: ObjectStore<GpuPod>
  readonly #demand: GpuDemand
  readonly #answers: RecentAnswers
  readonly #capacity: NodeCapacity

  constructor(pods: ObjectStore<GpuPod>) {
    this.#pods = pods
    this.#demand = new GpuDemand(pods)
    this.#answers = new RecentAnswers(pods)
    this.#capacity = new NodeCapacity(this.#demand, this.#answers)
  }

  /** undefined until the first whole list of pods is there: nothing is known of what is taken. */
  capacity(): Capacity | undefined {
    return this.#pods.state().synced ? this.#capacity : undefined
  }

  /** What living pods of the group were given by us. */
  siblings(group: string): readonly Sibling[] {
    return this.#demand.siblings(group)
  }

  /** Answers to pods of the group that nobody has seen yet. */
  unseen(group: string): number {
    return this.#answers.ofGroup(group)
  }

  /** Remembers that a pod was given shares, until it is seen. */
  answered(answer: Answer): void {
    this.#answers.answered(answer)
  }

  /** Takes up other classes of nodes. */
  useIndex(index: NodeIndex): void {
    this.#capacity.useIndex(index)
  }

  close(): void {
    this.#capacity.close()
    this.#answers.close()
    this.#demand.close()
  }
}
