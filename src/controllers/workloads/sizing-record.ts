import { type EstimatorState, emptyState } from '../../core/usage/estimator/estimate.ts'
import { isoTime, timeOf } from './iso-time.ts'
import type { Sizing } from './workload-object.ts'

/** Writes what the estimator has to remember of one GPU model into the form of the status; memory in whole MiB, sizes cut down. */
export function toSizing(model: string, { size, stepUps, checkedMs }: EstimatorState): Sizing {
  return {
    model,
    ...(size.heldMiB === undefined ? {} : { heldMiB: Math.floor(size.heldMiB) }),
    ...(size.changedMs === undefined ? {} : { changedAt: isoTime(size.changedMs) }),
    ...(checkedMs === undefined ? {} : { checkedTo: isoTime(checkedMs) }),
    ...(size.checks.length === 0
      ? {}
      : {
          checks: size.checks.map(({ dayMs, peakMiB }) => ({
            day: isoTime(dayMs),
            peakMiB: Math.ceil(peakMiB)
          }))
        }),
    ...(stepUps.length === 0
      ? {}
      : {
          stepUps: stepUps.map(({ atMs, failedMiB, evidence, image }) => ({
            at: isoTime(atMs),
            failedMiB: Math.floor(failedMiB),
            evidence,
            image
          }))
        })
  }
}

/** What the estimator remembered; that of a container that was never looked at where there is nothing. */
export function fromSizing(sizing: Sizing | undefined): EstimatorState {
  if (sizing === undefined) return emptyState
  return {
    size: {
      heldMiB: sizing.heldMiB,
      changedMs: timeOf(sizing.changedAt),
      checks: (sizing.checks ?? []).flatMap(({ day, peakMiB }) => {
        const dayMs = timeOf(day)
        return dayMs === undefined ? [] : [{ dayMs, peakMiB }]
      })
    },
    stepUps: (sizing.stepUps ?? []).flatMap(({ at, failedMiB, evidence, image }) => {
      const atMs = timeOf(at)
      return atMs === undefined ? [] : [{ atMs, failedMiB, evidence, image }]
    }),
    checkedMs: timeOf(sizing.checkedTo)
  }
}
