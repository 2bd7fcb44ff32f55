import { ownAnnotations, sliceLabel } from '../../core/api/names.ts'
import type { ContainerHistory, UsageBlock } from '../../core/usage/block.ts'
import { outOfMemoryEvidence } from '../../core/usage/estimator/out-of-memory.ts'
import type { EstimatorSettings } from '../../core/usage/estimator/settings.ts'
import { recordStepUp, type StepUp } from '../../core/usage/estimator/step-up.ts'
import type { ContainerEnding, PodRecord } from '../../gather/pod-record.ts'

/** What is looked through for shares that were too small. */
export interface StepUpSearch {
  readonly container: string
  /** Live pods of the workload. */
  readonly pods: readonly PodRecord[]
  /** Histories of the container on one GPU model. */
  readonly histories: readonly ContainerHistory[]
  readonly settings: EstimatorSettings
}

const DAY_MS = 86_400_000

/** Adds what the pods' ends and their use near the ceiling say; the same event counts once. */
export function withStepUps(known: readonly StepUp[], search: StepUpSearch): readonly StepUp[] {
  return search.pods
    .flatMap((pod) => stepUpsOf(pod, search))
    .sort((a, b) => a.atMs - b.atMs)
    .reduce((stepUps, event) => recordStepUp(stepUps, event, search.settings), known)
}

function stepUpsOf(pod: PodRecord, search: StepUpSearch): readonly StepUp[] {
  const blocks = search.histories.flatMap((history) =>
    history.blocks.filter((block) => block.pod === pod.name)
  )
  const endings = pod.endings.filter(({ container }) => container === search.container)
  return [...endings.flatMap((ending) => atEnd(ending, blocks, pod)), ...nearCeiling(blocks, pod)].map(
    (event) => ({ ...event, image: pod.images[search.container] ?? '' })
  )
}

type Event = Omit<StepUp, 'image'>

/** The highest value of the day stands for the last one, which is not kept: it errs towards a larger share. */
function atEnd(ending: ContainerEnding, blocks: readonly UsageBlock[], pod: PodRecord): readonly Event[] {
  const atMs = ending.finishedMs
  const block = blocks.find(({ dayMs }) => atMs !== undefined && atMs >= dayMs && atMs < dayMs + DAY_MS)
  if (atMs === undefined || block?.limitMiB === undefined) return []
  const evidence = outOfMemoryEvidence({
    exitCode: ending.exitCode,
    terminationMessage: ending.message,
    wasRewritten: isRewritten(pod),
    lastSampleMiB: block.peakMiB,
    shareMiB: block.limitMiB
  })
  const isEnd = evidence === 'message' || evidence === 'exit-at-ceiling'
  return isEnd ? [{ atMs, failedMiB: block.limitMiB, evidence }] : []
}

/** Only a share that we chose is stepped up for use near its ceiling. */
function nearCeiling(blocks: readonly UsageBlock[], pod: PodRecord): readonly Event[] {
  if (!isRewritten(pod)) return []
  return blocks.flatMap(({ limitMiB, peakMiB, peakAtMs, dayMs }) => {
    const evidence = outOfMemoryEvidence({
      exitCode: undefined,
      terminationMessage: '',
      wasRewritten: true,
      lastSampleMiB: peakMiB,
      shareMiB: limitMiB
    })
    return evidence === undefined || limitMiB === undefined
      ? []
      : [{ atMs: peakAtMs ?? dayMs, failedMiB: limitMiB, evidence }]
  })
}

/** Whether the pod runs in a share that we gave it. */
export function isRewritten({ view }: PodRecord): boolean {
  return (
    Object.hasOwn(view.labels, sliceLabel) &&
    Object.hasOwn(view.annotations, ownAnnotations.originalResources)
  )
}
