import { type WorkloadRef, workloadKey } from '../../pod/workload.ts'
import { type DayPeak, type DeviceSeries, deviceKey } from '../dialect-series.ts'
import { type Incarnation, incarnationOf } from './incarnation.ts'
import { type AttributionInput, DAY_MS, type KnownPod } from './known.ts'
import { indexOwners, type OwnerIndex, ownerFromName } from './owner-from-name.ts'
import type { AttributionReason } from './reasons.ts'
import { indexImages } from './template-image.ts'

/** Whose a day's value is. */
export interface Owner {
  readonly namespace: string
  readonly workload: WorkloadRef
  readonly container: string
  /** Image with tag or digest; '' where it is not known. */
  readonly image: string
  /** Record of the pod; undefined when it is gone and only its name speaks. */
  readonly pod: KnownPod | undefined
}

/** One day of one series that names a pod. */
export interface Claim {
  readonly series: DeviceSeries
  readonly day: DayPeak
  /** GPU or instance; '' when the series names no GPU. */
  readonly device: string
  /** Pod and container, whichever pod of that name it was. */
  readonly who: string
  /** When the pod was on the device on that day at most, ms since the epoch. */
  readonly fromMs: number
  readonly toMs: number
  readonly owner: Owner | { readonly reason: AttributionReason; readonly workload?: WorkloadRef }
}

/** Whether a claim's owner is known. */
export function isOwned(claim: Claim): claim is Claim & { readonly owner: Owner } {
  return 'namespace' in claim.owner
}

/** What is known of pods and names, ready to be looked up. */
export interface Registry {
  readonly podsByName: ReadonlyMap<string, readonly KnownPod[]>
  readonly owners: OwnerIndex
  readonly imageOf: ReturnType<typeof indexImages>
  readonly firstSeen: ReadonlyMap<string, number>
  readonly nodes: ReadonlySet<string>
  readonly nowMs: number
}

/** Makes everything ready that claims are made with. */
export function newRegistry(input: AttributionInput): Registry {
  return {
    podsByName: Map.groupBy(inOrder(input.pods), ({ namespace, name }) => `${namespace}/${name}`),
    owners: indexOwners(input),
    imageOf: indexImages(input.pods),
    firstSeen: firstSeenOf(input.series),
    nodes: new Set([...input.pods.map(({ node }) => node), ...(input.nodes ?? []).map(({ name }) => name)]),
    nowMs: input.nowMs
  }
}

/** A claim for each day of each series that names a pod, in the order of the series. */
export function claimsOf(series: readonly DeviceSeries[], registry: Registry): readonly Claim[] {
  return series.flatMap((one) => (one.labels.pod === '' ? [] : claimsOfSeries(one, registry)))
}

/** Owner and names are the same for most days of a series, and are made once. */
function claimsOfSeries(series: DeviceSeries, registry: Registry): readonly Claim[] {
  const name = `${series.labels.namespace}/${series.labels.pod}`
  const pods = registry.podsByName.get(name) ?? []
  const firstSeenDayMs = registry.firstSeen.get(name) ?? 0
  const device = deviceKey(series.labels)
  const owners = new Map<string, Pick<Claim, 'who' | 'owner'>>()
  return series.days.map((day) => {
    const incarnation = incarnationOf({ labels: series.labels, day, pods, firstSeenDayMs, ...registry })
    const pod = incarnation.kind === 'known' ? incarnation.pod : undefined
    const key = incarnationKey(incarnation, pods)
    const own = owners.get(key) ?? ownOf(name, ownerOf(series, incarnation, registry), series)
    owners.set(key, own)
    return { series, day, device, ...own, ...spanOf(day, pod, registry.nowMs) }
  })
}

function incarnationKey(incarnation: Incarnation, pods: readonly KnownPod[]): string {
  if (incarnation.kind === 'known') return `known ${pods.indexOf(incarnation.pod)}`
  return incarnation.kind === 'gone' && incarnation.reused ? 'reused' : incarnation.kind
}

function ownOf(name: string, owner: Claim['owner'], { labels }: DeviceSeries): Pick<Claim, 'who' | 'owner'> {
  return { who: `${name}/${'namespace' in owner ? owner.container : labels.container}`, owner }
}

/** Pods in an order that depends on nothing but themselves. */
function inOrder(pods: readonly KnownPod[]): readonly KnownPod[] {
  const textOf = ({ uid, startMs, endMs, node, workload, containers }: KnownPod): string =>
    JSON.stringify([uid, startMs, endMs, node, workloadKey(workload), containers])
  return pods
    .map((pod) => ({ pod, text: textOf(pod) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ pod }) => pod)
}

/** First day on which each pod's name was seen. */
function firstSeenOf(series: readonly DeviceSeries[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>()
  for (const { labels, days } of series) {
    const name = `${labels.namespace}/${labels.pod}`
    for (const { dayMs } of days) first.set(name, Math.min(first.get(name) ?? dayMs, dayMs))
  }
  return first
}

function spanOf(day: DayPeak, pod: KnownPod | undefined, nowMs: number): { fromMs: number; toMs: number } {
  const endOfDayMs = Math.max(day.dayMs, Math.min(day.dayMs + DAY_MS, nowMs))
  const fromMs = Math.max(day.firstMs ?? day.dayMs, pod?.startMs ?? day.dayMs)
  const toMs = Math.min(day.lastMs ?? endOfDayMs, pod?.endMs ?? endOfDayMs)
  return { fromMs, toMs: Math.max(fromMs, toMs) }
}

function ownerOf(series: DeviceSeries, incarnation: Incarnation, registry: Registry): Claim['owner'] {
  const { labels } = series
  if (incarnation.kind === 'known') {
    const owner = ownerOnRecord(incarnation.pod, labels.container)
    if (owner !== undefined) return owner
    if (labels.container === '' || labels.podUid !== undefined)
      return { reason: 'container-unknown', workload: incarnation.pod.workload }
    return ownerByName(series, true, registry)
  }
  if (incarnation.kind === 'after-end') return refusedOf(series, 'after-end', registry)
  return ownerByName(series, incarnation.reused, registry)
}

/** The container of the pod that the label names, or its only one with a GPU where it names none. */
function ownerOnRecord(pod: KnownPod, label: string): Owner | undefined {
  const { namespace, workload, containers } = pod
  if (containers.length === 0 && label !== '')
    return { namespace, workload, container: label, image: '', pod }
  const named = label === '' ? containers.filter(hasGpu) : containers.filter(({ name }) => name === label)
  const [container, ...others] = named
  return container === undefined || others.length > 0
    ? undefined
    : { namespace, workload, container: container.name, image: container.image, pod }
}

function hasGpu({ gpuResource }: KnownPod['containers'][number]): boolean {
  return gpuResource !== undefined
}

function ownerByName({ labels }: DeviceSeries, reused: boolean, registry: Registry): Claim['owner'] {
  const { namespace, pod, container } = labels
  const found = ownerFromName(registry.owners, namespace, pod)
  if (found.kind === 'several') return { reason: 'owner-ambiguous' }
  if (found.kind === 'none') return { reason: reused ? 'name-reused' : 'owner-unknown' }
  const { workload } = found
  if (container === '') return { reason: 'container-unknown', workload }
  const image = registry.imageOf({ namespace, workload, pod, container })
  return { namespace, workload, container, image, pod: undefined }
}

/** A refusal that names the workload where it is known. */
function refusedOf({ labels }: DeviceSeries, reason: AttributionReason, registry: Registry): Claim['owner'] {
  const [pod] = registry.podsByName.get(`${labels.namespace}/${labels.pod}`) ?? []
  const found = ownerFromName(registry.owners, labels.namespace, labels.pod)
  const workload = pod?.workload ?? (found.kind === 'one' ? found.workload : undefined)
  return workload === undefined ? { reason } : { reason, workload }
}
