import { findCatalogProfile, type GpuModel } from '../../../src/core/gpu/catalog.ts'
import { modelOf, plainNames, type Site, siteOf } from '../../core/pack/instances.ts'
import { baselines } from '../estimator/baselines.ts'
import { samplesOf, sizesAfter, traceSettings } from '../estimator/replay.ts'
import { CARDS, sizesOf } from '../estimator/shares.ts'
import { isThereAllDay, type PodSeries, readTrace } from '../estimator/trace.ts'
import type { Figure } from '../report.ts'
import { smallestSlot } from './mixed-fleet.ts'
import { freedFigure, packedListFigures } from './packed-list.ts'

/** What an estimate is made from; the rest of the day judges it. */
const HISTORY_HOURS = 12
/** Past the last sample, which is one step after the last hour. */
const END_HOUR = 25
const TRACE = 'GenTD26 (one service, one day)'

/** Headroom on what nobody knows beforehand: the peak of the whole day. */
const FACTORS = [1, 1.1, 1.2] as const

/** What was measured on a card before: GPUs with each of the factors. */
interface Reference {
  readonly gpus: readonly [number, number, number]
  /** Usable memory that it gave to a profile for which the catalogue plans with less; pods between take a larger slice. */
  readonly reading?: { readonly profile: string; readonly usableMiB: number }
}

/** Two readings are known of a H200's 1g.35gb, 33,024 and 33,280 MiB; the catalogue plans with the lower one. */
const references: Readonly<Record<string, Reference>> = {
  H200: { gpus: [62, 65, 66], reading: { profile: '1g.35gb', usableMiB: 33_280 } },
  'H100-80': { gpus: [94, 108, 123] }
}

/** Part of the GPUs that estimates are to free, %, with at most one pod in a hundred over its slice later. */
const freedGoals: Readonly<Record<string, number>> = { H200: 50, 'H100-80': 10 }
const OVER_GOAL_PERCENT = 1

/** Need of one pod, MiB; Infinity where nothing is known of it, so that it keeps its card. */
type NeedOf = (series: PodSeries) => number

/** Pods of the trace on one card. */
interface Scene {
  readonly card: (typeof CARDS)[number]
  readonly site: Site
  readonly pods: readonly PodSeries[]
}

/**
 * GenTD26 (Alibaba cluster-trace-v2026-GenAI, for research or study purpose): pods that ran, each in the smallest slice by
 * memory, packed exactly. Estimated from the first half of the day and judged by the second; beside it what the true peak
 * of the day would give. The trace stays where it is.
 */
export function benchGenTd26(traces: string): readonly Figure[] {
  const startMs = performance.now()
  const pods = readTrace(traces).filter((series) => peakMiB(series, 0, END_HOUR) > 0)
  if (pods.length === 0) throw new Error('no pod of GenTD26 ran')
  const figures = CARDS.flatMap((card) => {
    const model = modelOf(card.id)
    const scene = { card, site: siteOf(model, plainNames(model), {}), pods }
    return [...truePeakFigures(scene), ...ourFigures(scene), ...naiveFigures(scene)]
  })
  const seconds = (performance.now() - startMs) / 1000
  return [...figures, { name: `${TRACE}: time, estimates and checks included`, value: seconds, unit: 's' }]
}

function truePeakFigures({ card, site, pods }: Scene): readonly Figure[] {
  const reference = references[card.name]
  return FACTORS.flatMap((factor, index) => {
    const name = `${TRACE}, ${card.name}, the day's true peak x ${factor.toFixed(1)}`
    const needsMiB = pods.map((series) => peakMiB(series, 0, END_HOUR) * factor)
    const workloads = needsMiB.map((neededMiB) => sliceFor(site.model, neededMiB))
    return [
      ...packedListFigures(name, { site, workloads, goalGpus: reference?.gpus[index] }),
      ...betweenReadings(name, { model: site.model, needsMiB, reading: reference?.reading })
    ]
  })
}

/** Pods for which the catalogue plans a larger slice than the reference did: why it took fewer cards. */
function betweenReadings(
  name: string,
  {
    model,
    needsMiB,
    reading
  }: {
    readonly model: GpuModel
    readonly needsMiB: readonly number[]
    readonly reading: Reference['reading']
  }
): readonly Figure[] {
  if (reading === undefined) return []
  const { profile, usableMiB } = reading
  const plannedMiB = usableOf(model, profile)
  const between = needsMiB.filter((neededMiB) => neededMiB > plannedMiB && neededMiB <= usableMiB)
  return [
    {
      name: `${name}: between the ${plannedMiB} MiB planned for ${profile} and the ${usableMiB} of the goal`,
      value: between.length,
      unit: 'pods'
    }
  ]
}

/** Our estimator as the product uses it, all replicas one workload; and with each pod a workload of its own. */
function ourFigures(scene: Scene): readonly Figure[] {
  const { card, site, pods } = scene
  const poolings = [
    ['alike', 'rightslice'],
    ['apart', 'rightslice, each pod alone']
  ] as const
  return poolings.flatMap(([pooling, rule]) => {
    const name = `${TRACE}, ${card.name}, ${rule} after ${HISTORY_HOURS} h`
    const inForce = sizesAfter(pods, sizesOf(card.id), {
      pooling,
      settings: traceSettings,
      hours: HISTORY_HOURS
    })
    const needOf: NeedOf = ({ pod }) => inForce.get(pod)?.usableMiB ?? Number.POSITIVE_INFINITY
    const [freed, ...packed] = packedListFigures(name, {
      site,
      workloads: slicesFor(site.model, pods, needOf),
      goalFreedPercent: freedGoals[card.name]
    })
    const over = overFigure(name, scene, needOf)
    const goal = { comparison: '<=' as const, goal: OVER_GOAL_PERCENT }
    return [
      ...(freed === undefined ? [] : [freed]),
      card.name in freedGoals ? { ...over, ...goal } : over,
      allDayFigure(name, scene, needOf),
      ...packed
    ]
  })
}

/** Rules that people use today, on each pod's own history. */
function naiveFigures(scene: Scene): readonly Figure[] {
  const { card, site, pods } = scene
  return baselines.flatMap(({ name: rule, estimateMiB }) => {
    const name = `${TRACE}, ${card.name}, ${rule} of ${HISTORY_HOURS} h`
    const needOf: NeedOf = (series) => {
      const samples = samplesOf(series, 0, HISTORY_HOURS)
      return samples.length === 0 ? Number.POSITIVE_INFINITY : estimateMiB(samples)
    }
    return [
      freedFigure(name, { site, workloads: slicesFor(site.model, pods, needOf) }),
      overFigure(name, scene, needOf),
      allDayFigure(name, scene, needOf)
    ]
  })
}

/** Pods whose true peak of the rest of the day passes what their slice has, of those that run on. */
function overFigure(name: string, { site, pods }: Scene, needOf: NeedOf): Figure {
  const running = pods.filter((series) => peakMiB(series, HISTORY_HOURS, END_HOUR) > 0)
  const over = running.filter((series) => {
    const usableMiB = usableOf(site.model, sliceFor(site.model, needOf(series)))
    return peakMiB(series, HISTORY_HOURS, END_HOUR) > usableMiB
  })
  return {
    name: `${name}: over its slice later, of ${running.length} that run on`,
    value: (over.length / running.length) * 100,
    unit: '%'
  }
}

/** Without the pods that came later, of which nobody knew anything. */
function allDayFigure(name: string, { site, pods }: Scene, needOf: NeedOf): Figure {
  const known = pods.filter(isThereAllDay)
  const workloads = slicesFor(site.model, known, needOf)
  return freedFigure(`${name}, only the ${known.length} there all day`, { site, workloads })
}

function slicesFor(model: GpuModel, pods: readonly PodSeries[], needOf: NeedOf): readonly string[] {
  return pods.map((series) => sliceFor(model, needOf(series)))
}

/** The smallest profile with this much memory, the whole card where none has; compute is not looked at. */
function sliceFor(model: GpuModel, neededMiB: number): string {
  const slot = smallestSlot(model, { neededMiB, neededSms: 0 })
  const whole = model.profiles.find(({ computeSlices }) => computeSlices === model.computeSlices)
  if (whole === undefined) throw new Error(`no profile of ${model.id} is the whole card`)
  return slot ?? whole.name
}

function usableOf(model: GpuModel, profile: string): number {
  return findCatalogProfile(model, profile)?.usableMiB ?? 0
}

function peakMiB(series: PodSeries, fromHour: number, toHour: number): number {
  return samplesOf(series, fromHour, toHour).reduce((most, value) => Math.max(most, value), 0)
}
