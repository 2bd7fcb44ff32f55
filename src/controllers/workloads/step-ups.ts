import { ownAnnotations, sliceLabel } from '../../core/api/names.ts'
import type { KnownPod } from '../../core/usage/attribution/known.ts'
import type { ContainerHistory, UsageBlock } from '../../core/usage/block.ts'
import { outOfMemoryEvidence } from '../../core/usage/estimator/out-of-memory.ts'
import type { EstimatorSettings } from '../../core/usage/estimator/settings.ts'
import { recordStepUp, type StepUp } from '../../core/usage/estimator/step-up.ts'
import type { ContainerEnding, PodRecord } from '../../gather/pod-record.ts'

/** What is looked through for shares that were too small. */
export interface StepUpSearch {
  readonly container: string
  /** Pods of the workload that the cluster has. */
  readonly pods: readonly PodRecord[]
  /** Pods of it that are remembered, with the times at which GPU memory ran out by the words of their programs. */
  readonly knownPods: readonly KnownPod[]
  /** Histories of the container on one GPU model. */
  readonly histories: readonly ContainerHistory[]
  /** Usable memory of the pod's share where no samples of that day tell it, MiB; undefined where it is of another model. */
  readonly shareMiBOf: (pod: KnownPod) => number | undefined
  readonly settings: EstimatorSettings
}

const DAY_MS = 86_400_000

/** Adds what the pods' ends and their use near the ceiling say; the same event counts once. */
export function withStepUps(known: readonly StepUp[], search: StepUpSearch): readonly StepUp[] {
  const told = search.knownPods.flatMap((pod) => toldBy(pod, search))
  const measured = search.pods.flatMap((pod) => measuredIn(pod, search))
  return [...told, ...measured]
    .sort((a, b) => a.atMs - b.atMs)
    .reduce((stepUps, event) => recordStepUp(stepUps, event, search.settings), known)
}

/** Words of the program need no samples: a pod that dies at its start has none, and they tell enough by themselves. */
function toldBy(pod: KnownPod, search: StepUpSearch): readonly StepUp[] {
  const container = pod.containers.find(({ name }) => name === search.container)
  return (container?.outOfMemoryMs ?? []).flatMap((atMs) => {
    const failedMiB = blockAt(atMs, blocksOf(pod.name, search))?.limitMiB ?? search.shareMiBOf(pod)
    return failedMiB === undefined
      ? []
      : [{ atMs, failedMiB, evidence: 'message', image: container?.image ?? '' } as const]
  })
}

function measuredIn(pod: PodRecord, search: StepUpSearch): readonly StepUp[] {
  if (!isRewritten(pod)) return [] // of another share the samples alone are no sign
  const blocks = blocksOf(pod.name, search)
  const endings = pod.endings.filter(({ container }) => container === search.container)
  return [...endings.flatMap((ending) => atCeiling(ending, blocks)), ...nearCeiling(blocks)].map((event) => ({
    ...event,
    image: pod.images[search.container] ?? ''
  }))
}

function blocksOf(pod: string, { histories }: StepUpSearch): readonly UsageBlock[] {
  return histories.flatMap(({ blocks }) => blocks.filter((block) => block.pod === pod))
}

function blockAt(atMs: number, blocks: readonly UsageBlock[]): UsageBlock | undefined {
  return blocks.find(({ dayMs }) => atMs >= dayMs && atMs < dayMs + DAY_MS)
}

type Event = Omit<StepUp, 'image'>

/** The highest value of the day stands for the last one, which is not kept: it errs towards a larger share. */
function atCeiling(ending: ContainerEnding, blocks: readonly UsageBlock[]): readonly Event[] {
  const atMs = ending.finishedMs
  const block = atMs === undefined ? undefined : blockAt(atMs, blocks)
  if (atMs === undefined || block?.limitMiB === undefined) return []
  const evidence = outOfMemoryEvidence({
    exitCode: ending.exitCode,
    terminationMessage: ending.message,
    wasRewritten: true,
    lastSampleMiB: block.peakMiB,
    shareMiB: block.limitMiB
  })
  return evidence === 'exit-at-ceiling' ? [{ atMs, failedMiB: block.limitMiB, evidence }] : []
}

function nearCeiling(blocks: readonly UsageBlock[]): readonly Event[] {
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
