import { printMiB } from '../../core/api/quantity.ts'
import { tellNeed as tellSum } from '../../core/decision/need.ts'
import { printDuration } from '../../core/policy/duration.ts'
import type { ContainerDocument as Container } from './container-document.ts'
import type { ExplanationDocument } from './explain-document.ts'
import { label, type Row } from './rows.ts'
import type { ShareDocument as Share } from './share-document.ts'

/** What each container asks for, used and needs, and how it compares with what nodes offer. */
export function renderContainers(document: ExplanationDocument): readonly Row[] {
  const { containers, shares } = document
  const [allowed, refused] = [
    shares.filter((share) => share.refused === undefined),
    shares.filter((share) => share.refused !== undefined)
  ]
  const rows = containers.flatMap((container) => [
    ...containerRows(container),
    ...label(
      '  candidates',
      allowed.map((share) => tellShare(share, container, document))
    )
  ])
  return [
    ...rows,
    ...label('not allowed', refused.map(tellRefused)),
    ...label('capacity', capacityLines(shares))
  ]
}

function containerRows({ name, asksFor, history, need, unknownBecause }: Container): readonly Row[] {
  const asks = Object.entries(asksFor).map(([resource, count]) => `${resource}: ${count}`)
  return [
    ['container', `${name} asks for ${asks.length === 0 ? 'no GPU' : asks.join(', ')}`],
    ...(history === undefined ? [] : historyRows(history)),
    ...(need === undefined ? [] : [['  needs', tellNeed(need, history)] as const]),
    ...(unknownBecause === undefined ? [] : [['  needs', `not known: ${unknownBecause.sentence}`] as const])
  ]
}

const evidenceWords = {
  own: '',
  censored: ', cut off by the ceiling of its share',
  'self-sizing': ', which it reserves whatever it needs',
  'shared-device': ', of a shared GPU with all that run there'
} as const

function historyRows({
  peakMiB,
  deviceMiB,
  coverageSeconds,
  evidence,
  peakCompute,
  computeMetric
}: NonNullable<Container['history']>): readonly Row[] {
  const device = deviceMiB === undefined ? '' : ` of ${printMiB(deviceMiB)}`
  return [
    [
      '  peak memory',
      `${printMiB(peakMiB)}${device}, in ${printDuration(coverageSeconds)} of history${evidenceWords[evidence]}`
    ],
    ...(peakCompute === undefined
      ? []
      : [['  peak compute', `${percentOf(peakCompute)} of a GPU (${computeMetric ?? 'compute'})`] as const])
  ]
}

function tellNeed(
  { neededMiB, headroomRatio, raisedBy, neededCompute }: NonNullable<Container['need']>,
  history: Container['history']
): string {
  const memory = {
    peak: tellSum({ peakMiB: history?.peakMiB ?? 0, headroomRatio, neededMiB }),
    'min-memory': `${printMiB(neededMiB)}, which rightslice.dev/min-memory asks for`,
    'size-floor': `${printMiB(neededMiB)}, a size that is held until a smaller one has lasted`
  }[raisedBy]
  return neededCompute === undefined
    ? memory
    : `${memory}, and ${percentOf(neededCompute)} of the compute of a GPU`
}

function tellShare(share: Share, container: Container, document: ExplanationDocument): string {
  const fit = share.fits.find((entry) => entry.container === container.name)
  const words = fit?.inWords ?? share.overLimit?.sentence ?? 'cannot be compared'
  if (share.chosenFor.includes(container.name)) return `${sizeOf(share)}${words}  <- chosen`
  return `${sizeOf(share)}${words}${fit?.verdict === 'fits' ? passedOver(share, document) : ''}`
}

/** Why a share that fits is not given: it is taken, or larger than what is taken, or others come before it. */
function passedOver({ capacity }: Share, { decision, reason, rules }: ExplanationDocument): string {
  if (capacity?.free === 0) return ', but none is free'
  if (reason === 'NoFreeSlice' && rules?.onMissingCapacity === 'KeepWholeGpu')
    return ', but onMissingCapacity KeepWholeGpu gives no larger one'
  if (reason === 'PinnedToSlice') return '; the pod is pinned to another'
  return decision === 'rewrite' ? '; another is preferred' : ''
}

function tellRefused(share: Share): string {
  const chosen = share.chosenFor.length === 0 ? '' : '  <- chosen all the same, by the pin'
  return `${sizeOf(share)}${share.refused?.reason ?? ''}: ${share.refused?.sentence ?? ''}${chosen}`
}

function sizeOf({ share, method, usableMiB }: Share): string {
  const size = usableMiB === undefined ? 'unknown' : printMiB(usableMiB)
  return `${share.padEnd(12)} ${method.padEnd(12)} ${size.padStart(7)} usable   `
}

function capacityLines(shares: readonly Share[]): readonly string[] {
  return shares.flatMap(({ share, method, capacity, refused }) => {
    if (capacity === undefined || refused !== undefined) return []
    const { offered, bound, waiting, free, heldBy } = capacity
    const others = bound > heldBy.length ? ' and others' : ''
    const holders = heldBy.length === 0 ? '' : ` (${heldBy.join(', ')}${others})`
    return [
      `${share.padEnd(12)} ${method.padEnd(12)} ${free} free: nodes in reach offer ${offered}, ${bound} bound${holders}, ${waiting} asked for by pods without a node`
    ]
  })
}

function percentOf(part: number): string {
  return `${Math.round(part * 100)}%`
}
