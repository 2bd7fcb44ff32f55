import type { WorkloadRef } from '../../pod/workload.ts'
import type { ContainerHistory, HistoryKey, UsageBlock } from '../block.ts'
import { type DeviceSeries, deviceKey } from '../dialect-series.ts'
import { newBlockCollection } from './blocks.ts'
import { newBoundCollection, type SharedBound, totalsOf } from './bounds.ts'
import { type Claim, claimsOf, isOwned, newRegistry, type Registry } from './claim.ts'
import { newComputeIndex } from './compute.ts'
import { coverageSeconds, sampleSpacingSeconds } from './coverage.ts'
import { type Devices, judgeDevice, judgeMemory, memoryOf, type OwnedClaim } from './judge-claim.ts'
import { type AttributionInput, DAY_MS, type KnownNode } from './known.ts'
import { newSightings, noteMissingMemory } from './missing-memory.ts'
import { provenPerProcess } from './per-process.ts'
import type { AttributionCounts, AttributionReason } from './reasons.ts'
import { presencesOf } from './sharing.ts'
import { type AttributionNote, newTally, type Tally } from './tally.ts'
import { findUnmapped } from './unmapped.ts'

/** What is known of workloads, and what was not believed. */
export interface Attribution {
  /** Blocks that are provably their container's own, ordered by key, day and pod. */
  readonly histories: readonly ContainerHistory[]
  /** Highest values of devices that containers shared: no more than an upper bound for each of them. */
  readonly bounds: readonly SharedBound[]
  /** Daily maxima that were discarded, by reason. */
  readonly discarded: AttributionCounts
  /** The same by workload, where one is known, for its status. */
  readonly notes: readonly AttributionNote[]
}

/**
 * Gives each daily maximum to the workload that it is provably of: a whole GPU or a slice that one container had to itself, or a
 * value that is shown to be of the pod's own processes. Everything else is discarded and counted. The order of what comes in
 * does not matter, and nothing makes it throw.
 */
export function attribute(input: AttributionInput): Attribution {
  const frame = newFrame(input)
  for (const series of byGpu(input.series)) attributeGpu(series, frame)
  const { tally, blocks, bounds, seen } = frame
  noteMissingMemory(input, seen, tally)
  return {
    histories: blocks.histories(),
    bounds: bounds.bounds(),
    discarded: tally.counts(),
    notes: tally.notes()
  }
}

/** What all GPUs have in common: what is known of pods and nodes, and what is collected. */
interface Frame {
  readonly registry: Registry
  readonly nodeOf: (claim: Claim) => KnownNode | undefined
  readonly isUnmappedOn: ReturnType<typeof findUnmapped>
  readonly spacingSeconds: number
  readonly tally: Tally
  readonly blocks: ReturnType<typeof newBlockCollection>
  readonly bounds: ReturnType<typeof newBoundCollection>
  readonly seen: ReturnType<typeof newSightings>
}

function newFrame(input: AttributionInput): Frame {
  const { series, pods, nodes = [], nowMs } = input
  const byName = new Map(nodes.map((node) => [node.name, node] as const))
  return {
    registry: newRegistry(input),
    nodeOf: (claim) => byName.get(nodeNameOf(claim)),
    isUnmappedOn: findUnmapped(pods, series, nowMs),
    spacingSeconds: sampleSpacingSeconds(series, nowMs),
    tally: newTally(),
    blocks: newBlockCollection(),
    bounds: newBoundCollection(),
    seen: newSightings()
  }
}

/**
 * Series of one GPU and its instances together: who shares a device is told by them alone, and what is made of them takes some forty
 * times the memory of what comes out, so no more than one GPU is looked at at a time.
 */
function byGpu(series: readonly DeviceSeries[]): Iterable<readonly DeviceSeries[]> {
  return Map.groupBy(series, ({ labels: { gpuInstanceId: _instance, ...gpu } }) => deviceKey(gpu)).values()
}

function attributeGpu(series: readonly DeviceSeries[], frame: Frame): void {
  const { tally } = frame
  const claims = claimsOf(series, frame.registry)
  const devices = devicesOf(series, claims, frame)
  for (const { labels, days } of series) {
    if (labels.pod === '') for (const _day of days) tally.add('no-pod', undefined)
  }
  frame.seen.add(claims)
  const owned = claims.filter((claim) => isOwnedOrTold(claim, tally)).filter(isOwned)
  const compute = newComputeIndex()
  for (const claim of owned) {
    if (isMemory(claim.series)) continue
    const reason = compute.add(claim, judgeDevice(claim, devices))
    if (reason !== undefined) tally.add(reason, whose(claim, claim.owner.workload))
  }
  attributeMemory(frame, { owned, devices, compute, totals: totalsOf(series) })
}

interface Work {
  readonly owned: readonly OwnedClaim[]
  readonly devices: Devices
  readonly compute: ReturnType<typeof newComputeIndex>
  /** By `dayMs device`. */
  readonly totals: ReadonlyMap<string, number>
}

function attributeMemory(frame: Frame, { owned, devices, compute, totals }: Work): void {
  const { tally, blocks, bounds } = frame
  const discard = (claim: OwnedClaim, reason: AttributionReason, seriesMiB: number): void => {
    const totalMiB = totals.get(`${claim.day.dayMs} ${claim.device}`) ?? 0
    tally.add(reason, whose(claim, claim.owner.workload))
    bounds.add(claim, reason, { seriesMiB, totalMiB })
  }
  for (const claim of preferMiB(owned)) {
    const read = memoryOf(claim, devices.nodeOf(claim))
    if ('reason' in read) {
      discard(claim, read.reason, 0)
      continue
    }
    const ruling = judgeMemory(claim, devices)
    if (ruling.kind === 'discard') discard(claim, ruling.reason, read.miB)
    else {
      const busy = ruling.device === 'process' ? undefined : compute.peakOf(claim)
      blocks.add(historyKeyOf(claim), {
        ...blockOf(claim, frame),
        peakMiB: read.miB,
        peakCompute: busy?.ratio,
        ...(busy === undefined ? {} : { computeMetric: busy.metric }),
        limitMiB: ruling.limitMiB,
        device: ruling.device
      })
    }
  }
}

function historyKeyOf({ owner, series }: OwnedClaim): HistoryKey {
  const { namespace, workload, container, image } = owner
  return { namespace, workload, container, gpuModel: series.labels.model, image }
}

/** What a block says of day and pod. */
function blockOf(
  claim: OwnedClaim,
  { spacingSeconds }: Frame
): Omit<UsageBlock, 'peakMiB' | 'peakCompute' | 'computeMetric' | 'limitMiB' | 'device'> {
  const { day, series } = claim
  return {
    dayMs: day.dayMs,
    pod: series.labels.pod,
    peakAtMs: day.maxAtMs,
    samples: day.samples ?? 1,
    coverageSeconds: coverageSeconds(day, spacingSeconds),
    outOfMemory: ranOutOfMemory(claim)
  }
}

function devicesOf(
  series: readonly DeviceSeries[],
  claims: readonly Claim[],
  { nodeOf, isUnmappedOn }: Frame
): Devices {
  return {
    presences: presencesOf(claims),
    perProcess: provenPerProcess(claims, series),
    nodeOf,
    hasUnmapped: (claim) => isUnmappedOn(nodeNameOf(claim), claim)
  }
}

/** The pod's node, which the cluster tells; else what the exporter says, which may be its own name. */
function nodeNameOf({ owner, series }: Claim): string {
  const node = 'namespace' in owner ? (owner.pod?.node ?? '') : ''
  return node === '' ? series.labels.node : node
}

function isOwnedOrTold(claim: Claim, tally: Tally): boolean {
  if (isOwned(claim)) return true
  if ('reason' in claim.owner) {
    const { reason, workload } = claim.owner
    tally.add(reason, workload === undefined ? undefined : whose(claim, workload))
  }
  return false
}

function whose({ series, owner }: Claim, workload: WorkloadRef): Parameters<Tally['add']>[1] {
  const { labels } = series
  const container = 'namespace' in owner ? owner.container : labels.container
  return { namespace: labels.namespace, workload, container, labels }
}

/** A ratio counts only where the same container's memory on the same device and day is not there in MiB. */
function preferMiB(owned: readonly OwnedClaim[]): readonly OwnedClaim[] {
  const inMiB = owned.filter(({ series }) => series.metric === 'memory')
  const ratios = owned.filter(({ series }) => series.metric === 'memory-ratio')
  if (ratios.length === 0) return inMiB
  const placeOf = ({ who, day, device }: Claim): string => `${who} ${day.dayMs} ${device}`
  const known = new Set(inMiB.map(placeOf))
  return [...inMiB, ...ratios.filter((claim) => !known.has(placeOf(claim)))]
}

function isMemory({ metric }: DeviceSeries): boolean {
  return metric === 'memory' || metric === 'memory-ratio'
}

function ranOutOfMemory({ owner, day }: OwnedClaim): boolean {
  const container = owner.pod?.containers.find(({ name }) => name === owner.container)
  return (container?.outOfMemoryMs ?? []).some((atMs) => atMs >= day.dayMs && atMs < day.dayMs + DAY_MS)
}
