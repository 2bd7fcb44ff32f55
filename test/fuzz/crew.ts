import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fieldOf } from '../../src/core/json.ts'
import type { Chunk, ChunkResult } from './run-chunk.ts'

/** What a worker is made of. */
interface WorkerParts {
  /** Program of the process. */
  readonly program: URL
  /** Longest time that it may say nothing about a chunk, ms, and about one review. */
  readonly chunkMs: number
  readonly reviewMs: number
}

const defaults: WorkerParts = {
  program: new URL('fuzz-child.ts', import.meta.url),
  chunkMs: 600_000,
  reviewMs: 30_000
}

/** What a process made of a chunk. */
interface Asked {
  readonly result?: ChunkResult
  /** Index that it told last. */
  readonly at?: number | undefined
  /** How it came to an end. */
  readonly end: string
}

/** A process that tries chunks; one that died is replaced with the next chunk. */
export class Worker {
  readonly #seed: number
  readonly #parts: WorkerParts
  #child: ChildProcess | undefined
  /** How many processes it took so far. */
  lives = 0

  constructor(seed: number, parts: Partial<WorkerParts> = {}) {
    this.#seed = seed
    this.#parts = { ...defaults, ...parts }
  }

  /** The result of a chunk; a review that ends or stops the process is a finding, and the others are tried all the same. */
  async run(chunk: Chunk): Promise<ChunkResult> {
    const whole = await this.#ask(chunk, false)
    if (whole.result !== undefined) return whole.result
    const results: ChunkResult[] = []
    for (let from = chunk.from; from < chunk.to; ) {
      const stepped = await this.#ask({ from, to: chunk.to }, true)
      const { at = from, result, end } = stepped
      if (result !== undefined) {
        results.push(result)
        break
      }
      if (at > from) results.push(await this.run({ from, to: at }))
      results.push(deadly(at, end))
      from = at + 1
    }
    return results.reduce(joined, { ...deadly(chunk.from, ''), ...chunk, findings: [] })
  }

  /** Ends the process. */
  stop(): void {
    this.#child?.disconnect()
    this.#child = undefined
  }

  /** Has the process try a chunk; without a result where it ended or fell silent, with the index that it last told. */
  async #ask(chunk: Chunk, step: boolean): Promise<Asked> {
    const child = await this.#living()
    const patienceMs = step ? this.#parts.reviewMs : this.#parts.chunkMs
    const asked = await new Promise<Asked>((resolve) => {
      let at: number | undefined
      const give = (end: string): void => {
        clearTimeout(timer)
        resolve({ at, end })
      }
      let timer = setTimeout(give, patienceMs, 'hangs')
      child.on('exit', (code, signal) => give(`ends: ${code ?? signal}`))
      child.on('message', (message) => {
        clearTimeout(timer)
        const result = fieldOf(message, 'result')
        if (isResult(result)) return resolve({ result, end: '' })
        at = Number(fieldOf(message, 'index'))
        timer = setTimeout(give, patienceMs, 'hangs')
      })
      child.send({ ...chunk, step })
    })
    child.removeAllListeners()
    if (asked.result === undefined) {
      child.kill('SIGKILL')
      this.#child = undefined
    }
    return asked
  }

  async #living(): Promise<ChildProcess> {
    if (this.#child !== undefined) return this.#child
    const child = fork(fileURLToPath(this.#parts.program), [String(this.#seed)], {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc']
    })
    await once(child, 'message')
    this.lives += 1
    this.#child = child
    return child
  }
}

/** What is sent by our own process, so that the look at one field tells it. */
function isResult(value: unknown): value is ChunkResult {
  return Array.isArray(fieldOf(value, 'findings'))
}

function deadly(index: number, end: string): ChunkResult {
  const finding = { index, path: '', law: `the process goes on: it ${end}`, steps: [] }
  const slowest = { index, cpuMs: 0 }
  return { from: index, to: index + 1, findings: [finding], outcomes: {}, slowest, rssMiB: 0, cpuSeconds: 0 }
}

function joined(one: ChunkResult, other: ChunkResult): ChunkResult {
  const outcomes = { ...one.outcomes }
  for (const [key, count] of Object.entries(other.outcomes)) outcomes[key] = (outcomes[key] ?? 0) + count
  return {
    ...one,
    findings: [...one.findings, ...other.findings],
    outcomes,
    slowest: other.slowest.cpuMs > one.slowest.cpuMs ? other.slowest : one.slowest,
    rssMiB: other.rssMiB === 0 ? one.rssMiB : other.rssMiB,
    cpuSeconds: one.cpuSeconds + other.cpuSeconds
  }
}
