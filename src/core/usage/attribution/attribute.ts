import type { WorkloadRef } from '../../pod/workload.ts'
import type { ContainerHistory } from '../block.ts'
import type { DeviceSeries } from '../dialect-series.ts'
import { newBlockCollection } from './blocks.ts'
import { newBoundCollection, type SharedBound } from './bounds.ts'
import { type Claim, claimsOf, isOwned } from './claim.ts'
import { newComputeIndex } from './compute.ts'
import { coverageSeconds, sampleSpacingSeconds } from './coverage.ts'
import { type Devices, judgeDevice, judgeMemory, memoryOf, type OwnedClaim } from './judge-claim.ts'
import { type AttributionInput, DAY_MS, type KnownNode } from './known.ts'
import { noteMissingMemory } from './missing-memory.ts'
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
  const claims = claimsOf(input)
  const devices = devicesOf(input, claims)
  const tally = newTally()
  for (const { labels, days } of input.series) {
    if (labels.pod === '') for (const _day of days) tally.add('no-pod', undefined)
  }
  const owned = claims.filter((claim) => isOwnedOrTold(claim, tally)).filter(isOwned)
  const compute = newComputeIndex()
  for (const claim of owned) {
    if (isMemory(claim.series)) continue
    const reason = compute.add(claim, judgeDevice(claim, devices))
    if (reason !== undefined) tally.add(reason, whose(claim, claim.owner.workload))
  }
  const { histories, bounds } = attributeMemory(input, { owned, devices, tally, compute })
  noteMissingMemory(input, claims, tally)
  return { histories, bounds, discarded: tally.counts(), notes: tally.notes() }
}

interface Work {
  readonly owned: readonly OwnedClaim[]
  readonly devices: Devices
  readonly tally: Tally
  readonly compute: ReturnType<typeof newComputeIndex>
}

function attributeMemory(
  { series, nowMs }: AttributionInput,
  { owned, devices, tally, compute }: Work
): Pick<Attribution, 'histories' | 'bounds'> {
  const blocks = newBlockCollection()
  const bounds = newBoundCollection(series)
  const spacing = sampleSpacingSeconds(series, nowMs)
  for (const claim of preferMiB(owned)) {
    const { owner, day } = claim
    const read = memoryOf(claim, devices.nodeOf(claim))
    const ruling = 'reason' in read ? undefined : judgeMemory(claim, devices)
    if ('reason' in read || ruling?.kind !== 'own') {
      const reason: AttributionReason = 'reason' in read ? read.reason : reasonOf(ruling)
      tally.add(reason, whose(claim, owner.workload))
      bounds.add(claim, reason, 'miB' in read ? read.miB : 0)
      continue
    }
    blocks.add(
      {
        namespace: owner.namespace,
        workload: owner.workload,
        container: owner.container,
        gpuModel: claim.series.labels.model,
        image: owner.image
      },
      {
        dayMs: day.dayMs,
        pod: claim.series.labels.pod,
        peakMiB: read.miB,
        peakAtMs: day.maxAtMs,
        peakCompute: ruling.device === 'process' ? undefined : compute.peakOf(claim),
        samples: day.samples ?? 1,
        coverageSeconds: coverageSeconds(day, spacing),
        limitMiB: ruling.limitMiB,
        device: ruling.device,
        outOfMemory: ranOutOfMemory(claim)
      }
    )
  }
  return { histories: blocks.histories(), bounds: bounds.bounds() }
}

function devicesOf({ series, pods, nodes = [], nowMs }: AttributionInput, claims: readonly Claim[]): Devices {
  const byName = new Map(nodes.map((node) => [node.name, node] as const))
  const nodeOf = (claim: Claim): KnownNode | undefined => byName.get(nodeNameOf(claim))
  const isUnmappedOn = findUnmapped(pods, claims, nowMs)
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

function reasonOf(ruling: ReturnType<typeof judgeMemory> | undefined): AttributionReason {
  return ruling?.kind === 'discard' ? ruling.reason : 'shared-device'
}

function ranOutOfMemory({ owner, day }: OwnedClaim): boolean {
  const container = owner.pod?.containers.find(({ name }) => name === owner.container)
  return (container?.outOfMemoryMs ?? []).some((atMs) => atMs >= day.dayMs && atMs < day.dayMs + DAY_MS)
}
