import { quantile } from '../bench/report.ts'
import type { Creation } from './creations.ts'

/** What became of creations, counted. Of those that have to be let in unless the name says otherwise. */
export interface Tally {
  readonly sent: number
  readonly letIn: number
  /** Pods that break a rule and were refused for it, as they have to be. */
  readonly refusedByPolicy: number
  /** Pods that break a rule and were let in all the same. */
  readonly slippedIn: number
  /** Refused because the rewriting webhook could not be called; its failure policy is there so that this never happens. */
  readonly refusedByRewriting: number
  /** Refused because the isolation webhook could not be called. */
  readonly refusedByIsolation: number
  /** Refused by anybody else, such as an API server that waited too long for etcd, or by a policy that has no reason to. */
  readonly refusedByOthers: number
  /** Without any answer as long as the generator waits. */
  readonly timedOut: number
  /** Let in with the whole GPU that they asked for, though there is a share that fits. */
  readonly notRewritten: number
  /** Let in, but whether rewritten is not known, since the answer was lost with the API server. */
  readonly answerLost: number
  /** Sent more than once, since the API server was not there. */
  readonly sentAgain: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Texts of some failures. */
  readonly examples: readonly string[]
}

/** What one creation comes to. */
type Outcome =
  | 'letIn'
  | 'refusedByPolicy'
  | 'slippedIn'
  | 'refusedByRewriting'
  | 'refusedByIsolation'
  | 'refusedByOthers'
  | 'timedOut'

const EXAMPLES = 5

/** What one creation comes to. A pod that breaks a rule and cannot be judged was refused for want of the webhook, not by the policy. */
export function outcomeOf({ isBreaking, status, message }: Creation): Outcome {
  if (status === undefined) return 'timedOut'
  if (status === 201) return isBreaking ? 'slippedIn' : 'letIn'
  if (isBreaking && status === 403 && /webhook "isolation\.rightslice\.dev" denied/.test(message))
    return 'refusedByPolicy'
  const [, webhook] = /failed calling webhook "([^"]*)"/.exec(message) ?? []
  if (webhook === 'rewrite.rightslice.dev') return 'refusedByRewriting'
  return webhook === 'isolation.rightslice.dev' ? 'refusedByIsolation' : 'refusedByOthers'
}

/** Counts creations. */
export function tallyOf(creations: readonly Creation[]): Tally {
  const outcomes = creations.map((creation) => ({ creation, outcome: outcomeOf(creation) }))
  const count = (wanted: Outcome): number => outcomes.filter(({ outcome }) => outcome === wanted).length
  const letIn = outcomes.filter(({ outcome }) => outcome === 'letIn').map(({ creation }) => creation)
  const failed = outcomes.filter(({ outcome }) => outcome !== 'letIn' && outcome !== 'refusedByPolicy')
  const times = creations.map(({ latencyMs }) => latencyMs)
  return {
    sent: creations.length,
    letIn: letIn.length,
    refusedByPolicy: count('refusedByPolicy'),
    slippedIn: count('slippedIn'),
    refusedByRewriting: count('refusedByRewriting'),
    refusedByIsolation: count('refusedByIsolation'),
    refusedByOthers: count('refusedByOthers'),
    timedOut: count('timedOut'),
    notRewritten: letIn.filter(({ share }) => share === 'none').length,
    answerLost: letIn.filter(({ share }) => share === 'unknown').length,
    sentAgain: creations.filter(({ attempts }) => attempts > 1).length,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    longestMs: quantile(times, 1),
    examples: failed
      .slice(0, EXAMPLES)
      .map(({ outcome, creation }) => `${outcome}: ${creation.status} ${creation.message}`)
  }
}
