import { type DayPeak, type DeviceSeries, deviceKey } from '../dialect-series.ts'
import type { Claim } from './claim.ts'

/** Highest value of a series in a known stretch of a day. */
interface Stretch {
  readonly fromMs: number
  readonly toMs: number
  readonly max: number
  readonly isTotal: boolean
}

/** Values closer than this may be one value that was read twice: 1 % of the larger. */
const EQUAL_WITHIN_RATIO = 0.01

/** Values closer than this may be one value, MiB: some drivers count in larger steps. */
const EQUAL_WITHIN_MIB = 8

/**
 * Devices and days, as `dayMs device`, on which the exporter gave each pod the memory of its own processes.
 * Old exporters write the same labels on copies of the device's value. Copies of one value cannot be lower than another
 * that was seen within the same stretch of time; where that happens, they are no copies.
 */
export function provenPerProcess(
  claims: readonly Claim[],
  series: readonly DeviceSeries[]
): ReadonlySet<string> {
  const stretches = new Map<string, Stretch[]>()
  const add = (place: string, stretch: Stretch | undefined): void => {
    if (stretch === undefined) return
    const known = stretches.get(place)
    if (known === undefined) stretches.set(place, [stretch])
    else known.push(stretch)
  }
  for (const { series: own, day, device } of claims) {
    if (own.labels.perProcess && own.metric === 'memory') {
      add(`${day.dayMs} ${device}`, stretchOf(day, false))
    }
  }
  for (const { labels, metric, days } of series) {
    if (labels.pod !== '' || metric !== 'memory') continue
    for (const day of days) add(`${day.dayMs} ${deviceKey(labels)}`, stretchOf(day, true))
  }
  return new Set([...stretches].filter(([, there]) => areNoCopies(there)).map(([place]) => place))
}

function stretchOf(day: DayPeak, isTotal: boolean): Stretch | undefined {
  const { firstMs, lastMs, max } = day
  return firstMs === undefined || lastMs === undefined
    ? undefined
    : { fromMs: firstMs, toMs: lastMs, max, isTotal }
}

function areNoCopies(there: readonly Stretch[]): boolean {
  return there.some((inner) =>
    there.some((outer) => !outer.isTotal && isWithin(inner, outer) && isHigher(inner.max, outer.max))
  )
}

function isWithin(inner: Stretch, outer: Stretch): boolean {
  return inner !== outer && inner.fromMs >= outer.fromMs && inner.toMs <= outer.toMs
}

function isHigher(one: number, other: number): boolean {
  return one - other > Math.max(EQUAL_WITHIN_MIB, one * EQUAL_WITHIN_RATIO)
}
