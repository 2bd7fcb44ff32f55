import type { ComputePeak } from '../usage.ts'
import type { Claim } from './claim.ts'
import { computePart } from './device-size.ts'
import type { Ruling } from './judge-claim.ts'
import type { AttributionReason } from './reasons.ts'

/** Busy shares of whole GPUs and slices, by container, device and day. */
export interface ComputeIndex {
  /** Takes a claim of compute; returns why it is discarded. */
  add(claim: Claim, ruling: Ruling): AttributionReason | undefined
  /** Highest busy share beside a claim of memory, with its metric; undefined where it was not measured. */
  peakOf(claim: Claim): ComputePeak | undefined
}

interface Busy {
  readonly smActive?: ComputePeak
  readonly engineActive?: ComputePeak
}

/** An index with nothing in it. The share of SMs that are busy counts where it is there, else that of the engine. */
export function newComputeIndex(): ComputeIndex {
  const all = new Map<string, Map<number, Busy>>()
  return {
    add(claim, ruling) {
      const part = computePart(claim.series.labels)
      const reason = refusalOf(claim, ruling)
      if (reason !== undefined || part === undefined) return reason ?? 'compute-share-unknown'
      const place = `${claim.who} ${claim.device}`
      const days = all.get(place) ?? new Map<number, Busy>()
      all.set(place, days)
      const known = days.get(claim.day.dayMs) ?? {}
      const field = claim.series.metric === 'sm-active' ? 'smActive' : 'engineActive'
      const peak = { ratio: claim.day.max * part, metric: claim.series.metricName }
      days.set(claim.day.dayMs, { ...known, [field]: higherOf(known[field], peak) })
      return undefined
    },
    peakOf({ who, device, day }) {
      const found = all.get(`${who} ${device}`)?.get(day.dayMs)
      return found?.smActive ?? found?.engineActive
    }
  }
}

/** Of equal ones the metric that comes first by name, so that the order of series does not matter. */
function higherOf(known: ComputePeak | undefined, next: ComputePeak): ComputePeak {
  if (known === undefined || next.ratio > known.ratio) return next
  return next.ratio === known.ratio && next.metric < known.metric ? next : known
}

function refusalOf({ day }: Claim, ruling: Ruling): AttributionReason | undefined {
  if (ruling.kind === 'own') return day.max >= 0 && day.max <= 1 ? undefined : 'above-device'
  const isOfSeveral = ruling.reason === 'shared-device' || ruling.reason === 'replicated-device'
  return isOfSeveral ? 'shared-compute' : ruling.reason
}
