import type { Site } from '../../core/pack/instances.ts'
import { type Figure, goalOf, quantile } from '../report.ts'
import { asksOf, packChecked, timePacking } from './checked-packing.ts'
import { placedFirstFit } from './placed-first-fit.ts'
import { simplerWays } from './simpler-ways.ts'

/** Packings that are timed. */
const RUNS = 20

/** Workloads in the order in which they come, each by the profile that it needs, and what is hoped for. */
export interface WorkloadList {
  readonly site: Site
  readonly workloads: readonly string[]
  readonly goalGpus?: number | undefined
  readonly goalFreedPercent?: number | undefined
}

/** One list, packed and checked, beside what is done without: part that is freed, exact, its bound, simpler ways, time. */
export function packedListFigures(name: string, list: WorkloadList): readonly Figure[] {
  const { site, workloads, goalGpus } = list
  const asks = asksOf(workloads)
  const { gpus, bound } = packChecked(site, asks).packing
  const timesMs = Array.from({ length: RUNS }, () => timePacking(site, asks))
  const ways = [
    ...simplerWays(site.model, site.allowed, workloads),
    ['first fit, nothing moved', placedFirstFit(site.model, workloads)] as const
  ]
  return [
    freedBy(name, gpus, list),
    {
      name: `${name}: exact`,
      value: gpus,
      unit: 'GPUs',
      ...goalOf('<=', goalGpus)
    },
    { name: `${name}: proved bound`, value: bound, unit: 'GPUs' },
    { name: `${name}: gap`, value: gapRatio(gpus, bound) * 100, unit: '%', comparison: '<=', goal: 0 },
    ...ways.map(([what, value]) => ({ name: `${name}: ${what}`, value, unit: 'GPUs' })),
    { name: `${name}: time of the packing, median`, value: quantile(timesMs, 0.5), unit: 'ms' }
  ]
}

/** Part of the cards that is freed where each workload had a whole one, packed and checked. */
export function freedFigure(name: string, list: WorkloadList): Figure {
  return freedBy(name, packChecked(list.site, asksOf(list.workloads)).packing.gpus, list)
}

function freedBy(name: string, gpus: number, { workloads, goalFreedPercent }: WorkloadList): Figure {
  return {
    name: `${name}: freed`,
    value: freedRatio(gpus, workloads.length) * 100,
    unit: '%',
    ...goalOf('>=', goalFreedPercent)
  }
}

/** How far an answer is above what is proved. @example 46 where 40 are proved: 0.15 */
export function gapRatio(gpus: number, bound: number): number {
  return bound === 0 ? gpus : (gpus - bound) / bound
}

/** Part of the cards that is freed. @example 40 in place of 50 whole ones: 0.2 */
export function freedRatio(used: number, whole: number): number {
  return whole === 0 ? 0 : 1 - used / whole
}
