import { isMet, renderFigures, writeFigures } from '../bench/report.ts'
import { Worker } from './crew.ts'
import { fuzzFigures, tellFinding, tellProgress } from './fuzz-figures.ts'
import { type FuzzOptions, readOptions } from './fuzz-options.ts'
import { type FuzzState, freshState, readState, withChunk, withMemory, writeState } from './fuzz-state.ts'
import { makeReview } from './make-review.ts'
import { openGround } from './run-chunk.ts'
import { tryReview } from './try-review.ts'

/** `npm run test:fuzz`. Reviews in a chunk: what is lost when a run is stopped. */
const CHUNK = 500

/** How often progress is told, ms. */
const TELL_MS = 10_000

const options = readOptions(process.argv.slice(2))
if (options.kind === 'help') {
  ;(options.code === 0 ? console.log : console.error)(options.text)
  process.exitCode = options.code
} else if (options.only !== undefined) {
  process.exitCode = await tryOnly(options.seed, options.only)
} else {
  process.exitCode = await fuzz(options)
}

/** Tries one review in this process and prints what it is. */
async function tryOnly(seed: number, index: number): Promise<number> {
  const review = makeReview(seed, index)
  const ground = await openGround(seed)
  const { findings, outcomes, slowestMs } = await tryReview(ground, review)
  await ground.close()
  console.log(review.bytes.toString())
  console.error(`${review.way}: ${review.steps.join(', ')}; ${review.bytes.length} bytes`)
  console.error(`${outcomes.join(', ')}; ${slowestMs.toFixed(1)} ms of CPU`)
  for (const finding of findings) console.error(tellFinding(seed, finding))
  return findings.length === 0 ? 0 : 1
}

/** Tries all reviews, in as many processes as asked for, and prints the figures. */
async function fuzz({ count, seed, workers, state: file, json }: FuzzOptions): Promise<number> {
  let state = file === undefined ? freshState(seed, CHUNK) : readState(file, seed, CHUNK)
  for (const finding of state.findings) console.error(tellFinding(seed, finding))
  const waiting = chunksLeft(state, count)
  const tell = teller(state.tried, count)
  const work = async (nth: number): Promise<void> => {
    const worker = new Worker(seed)
    for (const from of waiting) {
      const startMs = performance.now()
      const result = await worker.run({ from, to: Math.min(count, from + CHUNK) })
      for (const finding of result.findings) console.error(tellFinding(seed, finding))
      const seconds = state.seconds + (performance.now() - startMs) / 1000
      const life = `${process.pid}-${nth}-${worker.lives}`
      state = withMemory(withChunk({ ...state, seconds }, result), life, result.rssMiB)
      if (file !== undefined) writeState(file, state)
      tell(state)
    }
    worker.stop()
  }
  await Promise.all(Array.from({ length: workers }, (_, nth) => work(nth)))
  const figures = fuzzFigures(state, workers)
  console.log(renderFigures(figures))
  for (const outcome of Object.keys(state.outcomes).sort())
    console.log(`${outcome}: ${state.outcomes[outcome]}`)
  if (json !== undefined) writeFigures(json, figures)
  return figures.every((figure) => isMet(figure) !== false) ? 0 : 1
}

/** Beginnings of the chunks that are not done yet; each worker takes the next one. */
function chunksLeft({ done }: FuzzState, count: number): Iterator<number> & Iterable<number> {
  const known = new Set(done)
  return Array.from({ length: Math.ceil(count / CHUNK) }, (_, nth) => nth * CHUNK)
    .filter((from) => !known.has(from))
    .values()
}

/** Says how far it has come, now and then. */
function teller(before: number, count: number): (state: FuzzState) => void {
  const startMs = performance.now()
  let lastMs = startMs
  return (state) => {
    const nowMs = performance.now()
    if (nowMs - lastMs < TELL_MS) return
    lastMs = nowMs
    console.error(tellProgress(state, count, ((state.tried - before) / (nowMs - startMs)) * 1000))
  }
}
