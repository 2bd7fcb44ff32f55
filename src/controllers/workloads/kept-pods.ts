import { fieldOf, listOf, stringOf } from '../../core/json.ts'
import type { KnownContainer, KnownPod } from '../../core/usage/attribution/known.ts'
import { fitsName } from '../../core/usage/attribution/name-patterns.ts'
import type { WorkloadObject } from './workload-object.ts'

/** Pods that are kept of one workload, some 250 characters each. */
const MOST_PODS = 64

/** Longest text of one workload, characters. */
const MOST_TEXT = 16_000

/**
 * Text about pods of one workload that its object keeps, so that their samples are told apart after a restart as well; undefined when
 * there is nothing to keep. A pod that lives and whose name tells its workload needs no keeping. Of too many, those come first of
 * which nothing else would tell, then those that ended last.
 */
export function keptPodsText(pods: readonly KnownPod[]): string | undefined {
  let texts = pods
    .filter((pod) => pod.endMs !== undefined || isTellingAlone(pod))
    .toSorted(mostTellingFirst)
    .slice(0, MOST_PODS)
    .map(({ namespace: _namespace, workload: _workload, ...pod }) => JSON.stringify(pod))
  while (texts.length > 0 && texts.join(',').length + 2 > MOST_TEXT) texts = texts.slice(0, -1)
  return texts.length === 0 ? undefined : `[${texts.join(',')}]`
}

/** Whether the record says what the name does not: whose the pod was, or that GPU memory ran out. */
function isTellingAlone({ name, workload, containers }: KnownPod): boolean {
  return !fitsName(name, workload) || containers.some(({ outOfMemoryMs = [] }) => outOfMemoryMs.length > 0)
}

function mostTellingFirst(a: KnownPod, b: KnownPod): number {
  const rank = Number(isTellingAlone(b)) - Number(isTellingAlone(a))
  if (rank !== 0) return rank
  const [endA, endB] = [a.endMs ?? Number.MAX_SAFE_INTEGER, b.endMs ?? Number.MAX_SAFE_INTEGER]
  return endB - endA || (a.uid < b.uid ? -1 : 1)
}

/** Pods that the objects kept, and how many of them could not be read. */
export function readKeptPods(objects: readonly WorkloadObject[]): {
  readonly pods: readonly KnownPod[]
  readonly unread: number
} {
  const entries = objects.flatMap((object) => entriesOf(object).map((raw) => readPod(raw, object)))
  const pods = entries.flatMap((pod) => pod ?? [])
  return { pods, unread: entries.length - pods.length }
}

/** What is no list counts as one entry that cannot be read. */
function entriesOf({ status }: WorkloadObject): readonly unknown[] {
  if (status?.knownPods === undefined) return []
  try {
    const list: unknown = JSON.parse(status.knownPods)
    return Array.isArray(list) ? list : [undefined]
  } catch {
    return [undefined]
  }
}

function readPod(raw: unknown, { namespace, workload }: WorkloadObject): KnownPod | undefined {
  const name = stringOf(raw, 'name')
  const uid = stringOf(raw, 'uid')
  if (name === undefined || uid === undefined) return undefined
  return {
    namespace,
    name,
    uid,
    node: stringOf(raw, 'node') ?? '',
    workload,
    containers: listOf(raw, 'containers').flatMap((container) => readContainer(container) ?? []),
    startMs: numberIn(raw, 'startMs'),
    endMs: numberIn(raw, 'endMs')
  }
}

function readContainer(raw: unknown): KnownContainer | undefined {
  const name = stringOf(raw, 'name')
  if (name === undefined) return undefined
  const outOfMemoryMs = listOf(raw, 'outOfMemoryMs').filter(isNumber)
  const limitMiB = numberIn(raw, 'limitMiB')
  return {
    name,
    image: stringOf(raw, 'image') ?? '',
    gpuResource: stringOf(raw, 'gpuResource'),
    ...(limitMiB === undefined ? {} : { limitMiB }),
    ...(outOfMemoryMs.length === 0 ? {} : { outOfMemoryMs })
  }
}

function numberIn(raw: unknown, key: string): number | undefined {
  const value = fieldOf(raw, key)
  return isNumber(value) ? value : undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
