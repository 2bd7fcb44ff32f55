import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { MOST_MS } from './try-review.ts'

const usage = `Usage: npm run test:fuzz -- [--count N] [--seed N] [--state FILE] [--json FILE] [--only INDEX] [--workers N]

Sends mutated AdmissionReviews to all three webhooks and holds every answer against the laws: no crash, no hang, the uid, a patch that
applies strictly and touches nothing else, short warnings, ${MOST_MS} ms of CPU for an answer at most, memory flat.
  --count    how many reviews (default 1000000)
  --seed     where they begin; the same seed gives the same reviews (default 1)
  --state    goes on where the run of this file stopped
  --json     writes the figures to a file
  --only     tries the review of one index and prints it, for a finding
  --workers  processes (default: one for each core)
Exits with 0 when every law holds, with 1 when one does not, with 2 when it is called in another way.`

/** What a run is asked for. */
export interface FuzzOptions {
  readonly kind: 'run'
  readonly count: number
  readonly seed: number
  readonly workers: number
  readonly only?: number
  readonly state?: string
  readonly json?: string
}

/** Text instead of a run, and the exit code with it. */
export interface FuzzHelp {
  readonly kind: 'help'
  readonly code: 0 | 2
  readonly text: string
}

/** Reads the arguments of the command line. */
export function readOptions(args: readonly string[]): FuzzOptions | FuzzHelp {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        count: { type: 'string', default: '1000000' },
        seed: { type: 'string', default: '1' },
        workers: { type: 'string', default: String(availableParallelism()) },
        only: { type: 'string' },
        state: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean' }
      }
    })
    if (values.help === true) return { kind: 'help', code: 0, text: usage }
    const { only, state, json } = values
    return {
      kind: 'run',
      count: wholeNumber('count', values.count),
      seed: wholeNumber('seed', values.seed),
      workers: Math.max(1, wholeNumber('workers', values.workers)),
      ...(only === undefined ? {} : { only: wholeNumber('only', only) }),
      ...(state === undefined ? {} : { state }),
      ...(json === undefined ? {} : { json })
    }
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error)
    return { kind: 'help', code: 2, text: `${told}\n\n${usage}` }
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} has to be a whole number, not "${text}"`)
  return Number(text)
}
