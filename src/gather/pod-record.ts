import { ownAnnotations, PREFIX } from '../core/api/names.ts'
import { isRuleCode, rules } from '../core/api/rules.ts'
import { marksOtherSystem } from '../core/decision/whom.ts'
import { fieldAt, fieldOf, isRecord, listOf, stringOf } from '../core/json.ts'
import { gpuRequestOf } from '../core/pod/gpu-request.ts'
import { COMPLETION_INDEX } from '../core/pod/pod-template.ts'
import { type ContainerView, type PodView, readPod } from '../core/pod/pod-view.ts'
import { readSecurity } from '../core/pod/security-view.ts'
import { type Defeat, defeatsOf } from '../core/rules/defeats.ts'

/** How a container came to its last end. */
export interface ContainerEnding {
  readonly container: string
  readonly exitCode: number
  /** Kubernetes' word, such as `OOMKilled` (host memory) or `Error`. */
  readonly reason: string
  /** What the program left, at most 4 KiB. */
  readonly message: string
  /** ms since the epoch; undefined where it is not told. */
  readonly finishedMs: number | undefined
}

/** What is needed to find dcgm-exporters among pods. */
export interface ExporterRecord {
  readonly labels: Readonly<Record<string, string>>
  readonly node: string
  readonly podIp: string
  readonly ready: boolean
  readonly ports: readonly { readonly name: string | undefined; readonly port: number }[]
}

/** A pod as the controller remembers it: one that asks for GPUs, carries our marks, or is a dcgm-exporter. */
export interface PodRecord {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  /** '' while it is not placed. */
  readonly node: string
  readonly phase: string
  readonly createdMs: number
  /** When its node took it up; undefined before that. */
  readonly startedMs: number | undefined
  /** When its last container ended for good; undefined while it lives. */
  readonly endedMs: number | undefined
  /** Since when a scheduler finds no node for it, and what it says; undefined where it has one or nobody has looked. */
  readonly unschedulable: { readonly sinceMs: number; readonly message: string } | undefined
  /** Since when it is ready, ms since the epoch; undefined while it is not. */
  readonly readyMs: number | undefined
  /** How often its containers were started anew. */
  readonly restarts: number
  /** As it would come to the webhook: without a node, and with what says nothing of GPUs left out. */
  readonly view: PodView
  /** Image by container, as the template names it. */
  readonly images: Readonly<Record<string, string>>
  /** The last end of each container that ended. */
  readonly endings: readonly ContainerEnding[]
  readonly exporter: ExporterRecord | undefined
  /** By what its successor would step around a share; for most pods one empty list that they have in common. */
  readonly defeats: readonly Defeat[]
}

/** Annotations besides ours that tell which workload a pod is of. */
const ownerAnnotations: readonly string[] = [
  'workflows.argoproj.io/node-name',
  'job.runner.gitlab.com/name',
  'kubernetes.io/config.mirror'
]

/** Beginnings of annotations that decide what becomes of a pod besides those of other systems. */
const decisivePrefixes: readonly string[] = [PREFIX, 'kueue.x-k8s.io/', COMPLETION_INDEX]

/** Reads a pod; undefined for one that is none of our business, so that it takes no memory. Never throws. */
export function readPodRecord(raw: unknown): PodRecord | undefined {
  const metadata = fieldOf(raw, 'metadata')
  const namespace = stringOf(metadata, 'namespace') ?? ''
  const name = stringOf(metadata, 'name')
  if (name === undefined) return undefined
  const pod = readPod(raw, namespace)
  const exporter = exporterOf(raw, pod)
  if (exporter === undefined && !concernsGpus(pod)) return undefined
  const status = fieldOf(raw, 'status')
  const phase = stringOf(status, 'phase') ?? 'Unknown'
  const endings = endingsOf(status)
  return {
    uid: stringOf(metadata, 'uid') ?? `${namespace}/${name}`,
    namespace,
    name,
    node: pod.nodeName ?? '',
    phase,
    createdMs: timeIn(metadata, 'creationTimestamp') ?? 0,
    startedMs: timeIn(status, 'startTime'),
    endedMs: endedMsOf(phase, endings),
    unschedulable: unschedulableOf(status),
    readyMs: timeIn(conditionOf(status, 'Ready', 'True'), 'lastTransitionTime'),
    restarts: restartsOf(status),
    view: slimmed(pod),
    images: Object.fromEntries(pod.containers.map((container) => [container.name, container.image])),
    endings,
    exporter,
    defeats: defeatsIn(raw, pod)
  }
}

/** A pod of a snapshot file tells codes alone. Containers that were added for debugging do not come again with the next pod. */
function defeatsIn(raw: unknown, pod: PodView): readonly Defeat[] {
  const told = listOf(raw, 'breaks').flatMap((entry) => toldDefeat(entry) ?? [])
  if (told.length > 0) return told
  const security = readSecurity(raw)
  const own = security.containers.filter(({ list }) => list !== 'ephemeralContainers')
  return defeatsOf(pod, { ...security, containers: own })
}

function toldDefeat(raw: unknown): Defeat | undefined {
  const rule = stringOf(raw, 'rule') ?? ''
  if (!isRuleCode(rule)) return undefined
  return {
    rule,
    onlyShared: fieldOf(raw, 'onlyShared') === true,
    sentence: `[${rule}] ${rules[rule].summary}`
  }
}

function concernsGpus(pod: PodView): boolean {
  return (
    Object.hasOwn(pod.annotations, ownAnnotations.decision) ||
    pod.containers.some((container) => gpuRequestOf(container).kind !== 'none')
  )
}

/** The node was chosen after admission, so a decision must not see it. */
function slimmed(pod: PodView): PodView {
  return {
    ...pod,
    nodeName: undefined,
    annotations: decisiveOf(pod.annotations),
    containers: pod.containers.map(slimContainer)
  }
}

function decisiveOf(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(annotations).filter(
      ([key]) =>
        ownerAnnotations.includes(key) ||
        marksOtherSystem(key) ||
        decisivePrefixes.some((prefix) => key.startsWith(prefix))
    )
  )
}

/** Command line and variables are kept of GPU containers alone. */
function slimContainer(container: ContainerView): ContainerView {
  const usesGpu = gpuRequestOf(container).kind !== 'none'
  return usesGpu ? container : { ...container, words: [], env: {} }
}

function conditionOf(status: unknown, type: string, value: string): unknown {
  return listOf(status, 'conditions').find(
    (condition) => fieldOf(condition, 'type') === type && fieldOf(condition, 'status') === value
  )
}

function unschedulableOf(status: unknown): PodRecord['unschedulable'] {
  const condition = conditionOf(status, 'PodScheduled', 'False')
  const sinceMs = timeIn(condition, 'lastTransitionTime')
  if (sinceMs === undefined || stringOf(condition, 'reason') !== 'Unschedulable') return undefined
  return { sinceMs, message: stringOf(condition, 'message') ?? '' }
}

function restartsOf(status: unknown): number {
  return listOf(status, 'containerStatuses').reduce<number>((sum, entry) => {
    const count = fieldOf(entry, 'restartCount')
    return typeof count === 'number' ? sum + count : sum
  }, 0)
}

/** 0 where the time is not told: it ended all the same. */
function endedMsOf(phase: string, endings: readonly ContainerEnding[]): number | undefined {
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined
  return endings.reduce((last, { finishedMs = 0 }) => Math.max(last, finishedMs), 0)
}

function endingsOf(status: unknown): readonly ContainerEnding[] {
  return ['initContainerStatuses', 'containerStatuses'].flatMap((list) =>
    listOf(status, list).flatMap((entry) => endingOf(entry) ?? [])
  )
}

function endingOf(status: unknown): ContainerEnding | undefined {
  const container = stringOf(status, 'name')
  const ended = fieldAt(status, 'state', 'terminated') ?? fieldAt(status, 'lastState', 'terminated')
  const exitCode = fieldOf(ended, 'exitCode')
  if (container === undefined || !isRecord(ended) || typeof exitCode !== 'number') return undefined
  return {
    container,
    exitCode,
    reason: stringOf(ended, 'reason') ?? '',
    message: stringOf(ended, 'message') ?? '',
    finishedMs: timeIn(ended, 'finishedAt')
  }
}

/** Whatever a chart calls it, some label of the pod names the program. */
function exporterOf(raw: unknown, { labels, nodeName = '' }: PodView): ExporterRecord | undefined {
  if (!Object.values(labels).some((value) => value.endsWith('dcgm-exporter'))) return undefined
  const status = fieldOf(raw, 'status')
  return {
    labels,
    node: nodeName,
    podIp: stringOf(status, 'podIP') ?? '',
    ready: conditionOf(status, 'Ready', 'True') !== undefined,
    ports: listOf(fieldOf(raw, 'spec'), 'containers').flatMap((container) =>
      listOf(container, 'ports').flatMap(readPort)
    )
  }
}

function readPort(raw: unknown): { name: string | undefined; port: number }[] {
  const port = fieldOf(raw, 'containerPort')
  return typeof port === 'number' ? [{ name: stringOf(raw, 'name'), port }] : []
}

function timeIn(value: unknown, key: string): number | undefined {
  const ms = Date.parse(stringOf(value, key) ?? '')
  return Number.isNaN(ms) ? undefined : ms
}
