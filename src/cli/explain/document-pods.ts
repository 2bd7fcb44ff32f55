import { compareText } from '../../core/compare-text.ts'
import { SEVERAL } from '../../core/decision/marks.ts'
import { readWritten } from '../../core/explain/as-created.ts'
import type { EffectivePolicy } from '../../core/policy/effective-policy.ts'
import { printUtc } from '../../core/policy/utc-time.ts'
import type { CanaryState, WorkloadUsage } from '../../core/usage/usage.ts'
import type { ScenePod } from '../../gather/explain/scene.ts'
import type { ExplanationDocument } from './explain-document.ts'

/** Most names that stand for many. */
const MOST_NAMES = 3

/** Pods by what they have and why, for the document. */
export function documentPods(pods: readonly ScenePod[]): ExplanationDocument['pods'] {
  const groups = Map.groupBy(pods, (pod) => `${hasOf(pod)} ${readWritten(pod.raw)?.decision ?? ''}`)
  return [...groups]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, [first, ...others]]) => {
      if (first === undefined) return []
      const names = [first, ...others].map(({ view }) => view.name).sort()
      return {
        has: hasOf(first),
        reason: readWritten(first.raw)?.decision,
        pods: names.length,
        names: names.slice(0, MOST_NAMES)
      }
    })
}

function hasOf({ raw, taken }: ScenePod): string {
  const share = readWritten(raw)?.share
  if (share !== undefined && share !== SEVERAL) return share
  return Object.entries(taken.requests)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ')
}

/** Whether pods of the workload keep whole GPUs for a while, or try a share first, for the document. */
export function documentTrials(
  usage: WorkloadUsage | undefined,
  policy: EffectivePolicy | undefined
): Pick<ExplanationDocument, 'fallback' | 'canary'> {
  const { fallback, canary } = usage ?? {}
  const isTried = canary !== undefined || policy?.canary !== undefined
  return {
    fallback:
      fallback === undefined ? undefined : { share: fallback.share, until: printUtc(fallback.untilMs) },
    canary: isTried ? { ...stateOf(canary), ...policy?.canary } : undefined
  }
}

function stateOf(known: CanaryState | undefined): NonNullable<ExplanationDocument['canary']> {
  if (known === undefined) return { state: 'not-started' }
  const { share, state, untilMs, message } = known
  return { share, state, until: untilMs === undefined ? undefined : printUtc(untilMs), message }
}
