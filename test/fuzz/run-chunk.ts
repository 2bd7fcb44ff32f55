import { fieldOf } from '../../src/core/json.ts'
import { makeReview } from './make-review.ts'
import { setStage } from './stage.ts'
import { type Finding, type Ground, tryReview } from './try-review.ts'
import { openWire } from './wire.ts'

/** Reviews that are tried in one go: from an index up to, and without, another. */
export interface Chunk {
  readonly from: number
  readonly to: number
}

/** What came of a chunk. */
export interface ChunkResult extends Chunk {
  readonly findings: readonly Finding[]
  /** How often the webhooks did what. */
  readonly outcomes: Readonly<Record<string, number>>
  /** The review whose answer took longest, CPU in ms. */
  readonly slowest: { readonly index: number; readonly cpuMs: number }
  /** Memory of the process after the chunk, after a collection where it can be asked for. */
  readonly rssMiB: number
  /** CPU of the process for the chunk, making and checking included, seconds. */
  readonly cpuSeconds: number
}

/** Where reviews are tried, with the server on a port of its own. */
export interface OpenGround extends Ground {
  close(): Promise<void>
}

/** Puts up the webhooks, inside and behind TLS. */
export async function openGround(seed: number): Promise<OpenGround> {
  const stage = setStage()
  await stage.app.listen({ host: '127.0.0.1', port: 0 })
  const wire = openWire(Number(fieldOf(stage.app.server.address(), 'port')))
  return {
    stage,
    wire,
    seed,
    close: async () => {
      wire.close()
      stage.app.server.closeAllConnections()
      await stage.close()
    }
  }
}

/**
 * Tries the reviews of a chunk, one after the other.
 * @param tell is told of each index before it is tried
 */
export async function runChunk(
  ground: Ground,
  { from, to }: Chunk,
  tell?: (index: number) => void
): Promise<ChunkResult> {
  const before = process.cpuUsage()
  const findings: Finding[] = []
  const outcomes: Record<string, number> = {}
  let slowest = { index: from, cpuMs: 0 }
  for (let index = from; index < to; index += 1) {
    tell?.(index)
    const tried = await tryOne(ground, index)
    findings.push(...tried.findings)
    for (const outcome of tried.outcomes) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    if (tried.slowestMs > slowest.cpuMs) slowest = { index, cpuMs: tried.slowestMs }
  }
  globalThis.gc?.()
  const { user, system } = process.cpuUsage(before)
  const rssMiB = process.memoryUsage.rss() / 2 ** 20
  return { from, to, findings, outcomes, slowest, rssMiB, cpuSeconds: (user + system) / 1e6 }
}

/** What is thrown while a review is tried is a finding too. */
async function tryOne(ground: Ground, index: number): ReturnType<typeof tryReview> {
  try {
    return await tryReview(ground, makeReview(ground.seed, index))
  } catch (error) {
    const law = `nothing is thrown: ${error instanceof Error ? error.stack : String(error)}`
    return { findings: [{ index, path: '', law, steps: [] }], outcomes: [], slowestMs: 0 }
  }
}
