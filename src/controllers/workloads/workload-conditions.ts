import type { Decision } from '../../core/decision/decision.ts'
import { printDuration } from '../../core/policy/duration.ts'
import type { EffectivePolicy } from '../../core/policy/effective-policy.ts'
import type { AttributionReason } from '../../core/usage/attribution/reasons.ts'
import { type AttributionNote, noteSentence } from '../../core/usage/attribution/tally.ts'
import type { Claim } from '../conditions.ts'
import { coverageSecondsOf } from './container-status.ts'
import type { ContainerStatus } from './workload-object.ts'

/** What a candidate is: its next pods would fit a smaller share than they ask for. */
export function candidateClaim(
  decision: Decision | undefined,
  containers: readonly ContainerStatus[]
): Claim {
  const type = 'Candidate'
  if (decision === undefined) {
    return { type, status: 'Unknown', reason: 'NoPods', message: 'no pod of it runs now' }
  }
  const { reason, sentence } = decision
  const rewrite = decision.kind === 'rewrite' ? decision : decision.proposed
  if (rewrite === undefined) {
    const isOpen = withoutEvidence.has(reason)
    return { type, status: isOpen ? 'Unknown' : 'False', reason, message: sentence }
  }
  if (
    rewrite.changes.every(({ container, resource }) => currentOf(container.name, containers) === resource)
  ) {
    return { type, status: 'False', reason: 'RunsInItsShare', message: 'its pods run in the share that fits' }
  }
  return { type, status: 'True', reason: rewrite.reason, message: fitSentence(containers) }
}

function currentOf(name: string, containers: readonly ContainerStatus[]): string | undefined {
  return containers.find((status) => status.name === name)?.current
}

/** Reasons that mean that nothing is known yet. */
const withoutEvidence: ReadonlySet<string> = new Set([
  'NoHistory',
  'TooLittleHistory',
  'NoPerPodHistoryOnSharedGpu'
])

function fitSentence(containers: readonly ContainerStatus[]): string {
  const parts = containers.flatMap(({ name, needed, fits }) =>
    fits === undefined
      ? []
      : [`${name}: ${needed ?? 'unknown'} needed of ${fits.usable ?? 'unknown'} in ${nameOf(fits)}`]
  )
  return parts.join('; ')
}

function nameOf({ resource, share }: NonNullable<ContainerStatus['fits']>): string {
  return share === undefined ? resource : `${resource} (${share})`
}

/** What confidence depends on. */
export interface ConfidenceFacts {
  readonly containers: readonly ContainerStatus[]
  readonly policy: EffectivePolicy | undefined
  /** What has been wrong with the source for long; undefined when it is well. */
  readonly trouble: string | undefined
}

const obstacleClaims: Readonly<
  Record<NonNullable<ContainerStatus['obstacle']>, readonly [reason: string, message: string]>
> = {
  NoHistory: ['NoHistory', 'no use of GPU memory is known'],
  SelfSizing: ['SelfSizing', 'its use is a fixed fraction of the device, a reservation and not its need'],
  Censored: ['CensoredHistory', 'it was cut off by the size of its share, so it may need more'],
  UnderOneSeason: ['UnderOneSeason', 'a whole cycle of its use was not seen yet'],
  RanOutOfMemory: ['RanOutOfMemory', 'it ran out of GPU memory twice; a person should look']
}

/** Coverage that a workload without a policy is measured against, seconds. */
const USUAL_COVERAGE_SECONDS = 3 * 86_400

/** Whether the numbers should not be relied on, and why. */
export function lowConfidenceClaim(facts: ConfidenceFacts): Claim {
  const type = 'LowConfidence'
  const { containers, policy, trouble } = facts
  const least = policy?.minCoverageSeconds ?? USUAL_COVERAGE_SECONDS
  if (trouble !== undefined) return { type, status: 'True', reason: 'HistoryUnavailable', message: trouble }
  const [first] = containers
    .filter(({ evidence, peakMemory }) => evidence === 'SharedDevice' || peakMemory !== undefined)
    .flatMap((container) => doubtOf(container, least))
  if (first !== undefined) return { type, status: 'True', ...first }
  const measured = containers.filter(({ peakMemory }) => peakMemory !== undefined)
  if (measured.length === 0) {
    return { type, status: 'True', reason: 'NoHistory', message: 'no use of GPU memory is known' }
  }
  const shortest = Math.min(...measured.map(coverageSecondsOf))
  const message = `${printDuration(shortest)} of history, at least ${printDuration(least)} asked for`
  return { type, status: 'False', reason: 'EnoughHistory', message }
}

function doubtOf(
  container: ContainerStatus,
  leastSeconds: number
): readonly Pick<Claim, 'reason' | 'message'>[] {
  const { name, evidence, obstacle } = container
  if (evidence === 'SharedDevice') {
    const message = `container ${name}: its samples are those of a shared GPU`
    return [{ reason: 'NoPerPodHistoryOnSharedGpu', message }]
  }
  if (obstacle !== undefined) {
    const [reason, message] = obstacleClaims[obstacle]
    return [{ reason, message: `container ${name}: ${message}` }]
  }
  const seconds = coverageSecondsOf(container)
  if (seconds >= leastSeconds) return []
  const message = `container ${name}: ${printDuration(seconds)} of history, ${printDuration(leastSeconds)} asked for`
  return [{ reason: 'TooLittleHistory', message }]
}

/** Kinds of notes that are told, each in a sentence. */
const MOST_NOTES = 3

/** Which samples were not believed; nothing to say where all were. */
export function discardedClaims(notes: readonly AttributionNote[]): readonly Claim[] {
  const [first] = notes
  if (first === undefined) return []
  const message = notes.slice(0, MOST_NOTES).map(noteSentence).join('; ')
  return [{ type: 'SamplesDiscarded', status: 'True', reason: camelCase(first.reason), message }]
}

/** `shared-device` as conditions write it: `SharedDevice`. */
function camelCase(reason: AttributionReason): string {
  return reason
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('')
}
