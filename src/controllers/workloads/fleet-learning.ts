import type { ContainerHistory } from '../../core/usage/block.ts'
import type { EstimatorInput } from '../../core/usage/estimator/input.ts'
import { type LearntHeadroom, learnHeadroom } from '../../core/usage/estimator/learnt-headroom.ts'
import { type PastDecision, pastDecisionsOf } from '../../core/usage/estimator/past-decisions.ts'
import { defaultSettings } from '../../core/usage/estimator/settings.ts'
import type { Subject } from './subject.ts'

/** Workloads that are looked at in one turn of the event loop. */
const BATCH = 25

/**
 * What past decisions of all workloads of a kind have taught. Made anew from the histories once a day, since only days that are over
 * teach anything; nothing of it is stored.
 */
export class FleetLearning {
  #byKind: ReadonlyMap<string, LearntHeadroom> = new Map()
  #day: number | undefined
  /** Whether the reading of that day was whole. */
  #isWhole = false

  /** What is known for workloads of this kind; undefined before anything is. */
  readonly for = (kind: string): LearntHeadroom | undefined => this.#byKind.get(kind)

  /**
   * Learns from the subjects unless that was done today. From a reading that is not whole it learns only as long as it knows nothing:
   * less headroom than before would make numbers smaller.
   * @param breathe called between batches; lets others run
   */
  async update(
    subjects: readonly Subject[],
    { nowMs, isComplete }: { readonly nowMs: number; readonly isComplete: boolean },
    breathe: () => Promise<void>
  ): Promise<void> {
    const day = Math.floor(nowMs / defaultSettings.blockMs)
    const isDone = isComplete ? day === this.#day && this.#isWhole : this.#day !== undefined
    if (isDone) return
    const decisions = new Map<string, PastDecision[]>()
    for (let start = 0; start < subjects.length; start += BATCH) {
      for (const subject of subjects.slice(start, start + BATCH)) collect(subject, nowMs, decisions)
      await breathe()
    }
    this.#byKind = new Map(
      [...decisions].map(([kind, same]) => [kind, learnHeadroom(same, defaultSettings)] as const)
    )
    this.#day = day
    this.#isWhole = isComplete
  }
}

function collect(subject: Subject, nowMs: number, into: Map<string, PastDecision[]>): void {
  const { kind } = subject.workload
  const known = into.get(kind) ?? []
  into.set(kind, known)
  for (const input of inputsOf(subject.histories)) {
    known.push(...pastDecisionsOf(input, { nowMs, settings: defaultSettings }))
  }
}

/** One input a container and GPU model; which image is the current one does not matter to the past. */
function inputsOf(histories: readonly ContainerHistory[]): readonly EstimatorInput[] {
  const groups = Map.groupBy(histories, ({ key }) => `${key.container}\u0000${key.gpuModel}`)
  return [...groups.values()].flatMap(([current, ...earlier]) =>
    current === undefined ? [] : [{ current, earlier }]
  )
}
