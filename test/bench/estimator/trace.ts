import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** File of the trace in the folder that the caller names. */
export const GENTD26_FILE = 'gentd26_gpu_mem_duty.csv.gz'

/** Memory series of one pod of GenTD26: MiB by step, one a minute; NaN where it was not sampled. */
export interface PodSeries {
  readonly pod: string
  readonly usedMiB: Float64Array
}

/** Steps of the trace: one day at one a minute in the release's own clock. */
const STEPS = 1441

/**
 * The series of GenTD26 (Alibaba cluster-trace-v2026-GenAI, for research or study purpose) in a folder that the caller
 * names; nothing of it is kept here.
 * @throws when the file is not there
 */
export function readTrace(directory: string): readonly PodSeries[] {
  const text = gunzipSync(readFileSync(join(directory, GENTD26_FILE))).toString()
  const byPod = new Map<string, Float64Array>()
  for (const line of text.split('\n').slice(1)) {
    const [pod = '', step = '', usedMiB = ''] = line.split(',')
    if (usedMiB === '') continue
    const series = byPod.get(pod) ?? new Float64Array(STEPS).fill(Number.NaN)
    series[Number(step)] = Number(usedMiB)
    byPod.set(pod, series)
  }
  return [...byPod].map(([pod, usedMiB]) => ({ pod, usedMiB }))
}

/** Part of the steps that a pod must have been sampled at to count as one that was there all day. */
const WHOLE_DAY_RATIO = 0.95

/** Whether the pod was there all day; the others start or end within it. */
export function isThereAllDay({ usedMiB }: PodSeries): boolean {
  return usedMiB.filter((value) => !Number.isNaN(value)).length >= STEPS * WHOLE_DAY_RATIO
}
