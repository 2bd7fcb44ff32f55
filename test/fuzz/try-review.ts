import { fieldAt, isRecord } from '../../src/core/json.ts'
import { brokenLaws, jsonOf } from './answer-laws.ts'
import { type Expectation, expectationOf } from './expectation.ts'
import { type FuzzedReview, makeRequest } from './make-review.ts'
import { writeOutDeep } from './odd-values.ts'
import { checkPatch } from './patch-laws.ts'
import { type Answer, paths, type Stage, type WebhookPath } from './stage.ts'
import type { Wire } from './wire.ts'

/** A law that does not hold for one review. */
export interface Finding {
  readonly index: number
  readonly path: string
  readonly law: string
  readonly steps: readonly string[]
}

/** What became of one review. */
export interface Tried {
  readonly findings: readonly Finding[]
  /** What the webhooks did, by path: `/rewrite patch`, `/isolation deny`. */
  readonly outcomes: readonly string[]
  /** CPU of the thread for the slowest of the three answers, ms. */
  readonly slowestMs: number
}

/** Most CPU that one answer may take, reading and writing included, ms: the goal for an object of 3 MiB, which is the largest there is. */
export const MOST_MS = 100

/** How often what took too long is tried again; the fastest counts, since a busy machine only ever makes it slower. */
const TRIES = 4

/** Where reviews are tried. */
export interface Ground {
  readonly stage: Stage
  readonly wire: Wire
  readonly seed: number
}

/** Sends one review to all webhooks and holds what they answer against the laws. */
export async function tryReview(ground: Ground, review: FuzzedReview): Promise<Tried> {
  if (review.way === 'head') return tryHead(ground, review)
  const expected = expectationOf(review.bytes)
  const tried: Tried[] = []
  for (const path of paths) tried.push(await tryPath(ground, review, path, expected))
  return {
    findings: tried.flatMap(({ findings }) => findings),
    outcomes: tried.flatMap(({ outcomes }) => outcomes),
    slowestMs: Math.max(...tried.map(({ slowestMs }) => slowestMs))
  }
}

/** A request whose head was changed too: whatever it is, the connection ends, and what comes back is HTTP. */
async function tryHead({ stage, wire, seed }: Ground, review: FuzzedReview): Promise<Tried> {
  const { index, steps } = review
  const path = paths[index % paths.length] ?? '/rewrite'
  const text = await wire.sendRaw(makeRequest(review, seed, path))
  const isHttp = text === '' || text.startsWith('HTTP/1.1 ')
  const broken = [
    ...(isHttp ? [] : [`a request with another head is answered in HTTP or cut, not: ${text.slice(0, 200)}`]),
    ...failuresOf(stage, { kind: 'refusal', statuses: [] })
  ]
  const status = text === '' ? 'cut' : text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
  return {
    findings: broken.map((law) => ({ index, path, law, steps })),
    outcomes: [`head ${status}`],
    slowestMs: 0
  }
}

async function tryPath(
  { stage, wire }: Ground,
  review: FuzzedReview,
  path: WebhookPath,
  expected: Expectation
): Promise<Tried> {
  const { answer, cpuMs } = await timed(() => (review.way === 'tls' ? wire : stage).send(path, review.bytes))
  const broken = [...brokenLaws(path, expected, answer), ...failuresOf(stage, expected)]
  if (cpuMs > MOST_MS) broken.push(`an answer takes at most ${MOST_MS} ms of CPU, not ${cpuMs.toFixed(0)}`)
  if (path === '/rewrite' && expected.kind === 'answer')
    broken.push(...(await patchLaws(stage, review, answer)))
  const { index, steps } = review
  return {
    findings: broken.map((law) => ({ index, path, law, steps })),
    outcomes: [`${path} ${outcomeOf(answer)}`],
    slowestMs: cpuMs
  }
}

/** The answer, with the CPU that it took; of several tries where the first was too slow. */
async function timed(
  send: () => Promise<Answer>
): Promise<{ readonly answer: Answer; readonly cpuMs: number }> {
  let best: { answer: Answer; cpuMs: number } | undefined
  for (let left = TRIES; left > 0 && (best === undefined || best.cpuMs > MOST_MS); left -= 1) {
    const before = process.threadCpuUsage()
    const answer = await send()
    const { user, system } = process.threadCpuUsage(before)
    const cpuMs = (user + system) / 1000
    if (best === undefined || cpuMs < best.cpuMs) best = { answer, cpuMs }
  }
  return best ?? { answer: { status: 0, text: '' }, cpuMs: Number.POSITIVE_INFINITY }
}

/** Failures that the webhook counted, though the review is none of those that may fail. */
function failuresOf(stage: Stage, expected: Expectation): readonly string[] {
  return stage
    .takeFailures()
    .filter(({ cause }) => cause !== 'unreadable' || expected.kind === 'answer')
    .map(({ cause, told }) => `nothing fails while a review is worked on: ${cause} ${told}`)
}

async function patchLaws(stage: Stage, review: FuzzedReview, answer: Answer): Promise<readonly string[]> {
  const body = review.compact ?? review.bytes.toString()
  const { broken, pod } = checkPatch(body, jsonOf(answer.text))
  if (pod === undefined) return broken
  const again = jsonOf(body)
  const request = fieldAt(again, 'request')
  if (!isRecord(again) || !isRecord(request)) return broken
  const text = writeOutDeep(JSON.stringify({ ...again, request: { ...request, object: pod } }))
  const second = jsonOf((await stage.send('/rewrite', Buffer.from(text))).text)
  const isQuiet = fieldAt(second, 'response', 'allowed') === true && !isPatched(second)
  return isQuiet ? broken : [...broken, 'deciding again on the patched pod gives no further patch']
}

function isPatched(answer: unknown): boolean {
  return fieldAt(answer, 'response', 'patch') !== undefined
}

function outcomeOf({ status, text }: Answer): string {
  if (status !== 200) return String(status)
  const answer = jsonOf(text)
  if (fieldAt(answer, 'response', 'allowed') !== true) return 'deny'
  if (isPatched(answer)) return 'patch'
  return fieldAt(answer, 'response', 'warnings') === undefined ? 'silent' : 'warn'
}
