import type { PolicyRead } from './effective-policy.ts'

const DAY_SECONDS = 86_400

/** Days that are looked back over where no policy asks for any, and at most. */
const USUAL_DAYS = 14
const MOST_DAYS = 28

/** How many days to read: the longest that a policy asks for, 1 to 28; 14 where there is none. */
export function lookbackDaysOf(policies: readonly PolicyRead[]): number {
  const asked = policies.flatMap((read) =>
    read.kind === 'valid' ? Math.ceil(read.policy.lookbackSeconds / DAY_SECONDS) : []
  )
  const days = asked.length === 0 ? USUAL_DAYS : Math.max(...asked)
  return Math.min(MOST_DAYS, Math.max(1, days))
}
