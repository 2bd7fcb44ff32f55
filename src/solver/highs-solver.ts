import { Worker } from 'node:worker_threads'
import { AppError } from '../core/errors.ts'
import type { IntegerProgram } from '../core/pack/integer-program.ts'
import type { SolveLimits, Solver, SolverAnswer } from '../ports/solver.ts'
import type { SolverQuestion, SolverReply } from './worker.ts'

/**
 * Time that a question may take beyond its limit before its thread is ended, ms; HiGHS looks at its clock now and then only,
 * and the start of a thread takes some.
 */
const GRACE_MS = 1000

/** Longest limit that is kept, ms, some 24 days; timers take no more than 2^31 - 1, and a longer one ends at once. */
const LONGEST_MS = 2 ** 31 - 1 - GRACE_MS

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/**
 * HiGHS in a worker thread, so that whoever asks goes on meanwhile. The thread starts with the first question and takes one
 * at a time, in order. A question that is aborted or goes far beyond its limit ends the thread; the next one starts another.
 * A question that waits for its turn is told at once that it is aborted or that its time is up.
 */
export class HighsSolver implements Solver {
  #worker: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** See `Solver`; a limit below zero is over, one above 24 days is as long. */
  readonly solve = async (
    program: IntegerProgram,
    { timeLimitMs, signal }: SolveLimits
  ): Promise<SolverAnswer> => {
    signal.throwIfAborted()
    const endMs = performance.now() + limitOf(timeLimitMs)
    const before = this.#last
    const turn = Promise.withResolvers<void>()
    this.#last = before.then(() => turn.promise)
    try {
      const isTurn = await this.#wait(before, endMs, signal)
      return isTurn ? await this.#ask(program, endMs, signal) : outOfTime(program)
    } finally {
      turn.resolve()
    }
  }

  /** Ends the thread, and with it the question that is being answered. */
  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  /** True when the questions before have ended, false when time is up before. */
  async #wait(before: Promise<unknown>, endMs: number, signal: AbortSignal): Promise<boolean> {
    const late = AbortSignal.timeout(msUntil(endMs))
    try {
      await orStopped(before, AbortSignal.any([signal, late]))
    } catch (fault) {
      if (signal.aborted || !late.aborted) throw fault
      return false
    }
    return performance.now() < endMs
  }

  async #ask(program: IntegerProgram, endMs: number, signal: AbortSignal): Promise<SolverAnswer> {
    const deadline = AbortSignal.timeout(msUntil(endMs) + GRACE_MS)
    this.#worker ??= this.#start()
    try {
      const question = { program, timeLimitMs: Math.max(0, endMs - performance.now()) }
      const reply = await orStopped(
        this.#question(this.#worker, question),
        AbortSignal.any([signal, deadline])
      )
      if ('fault' in reply) throw new AppError('SOLVER_FAILED', `HiGHS: ${reply.fault}`)
      return reply.answer
    } catch (fault) {
      await this.close()
      if (!signal.aborted && deadline.aborted) return outOfTime(program)
      throw fault
    }
  }

  #start(): Worker {
    const worker = new Worker(workerFile)
    worker.unref()
    return worker
  }

  #question(worker: Worker, question: SolverQuestion): Promise<SolverReply> {
    const { promise, resolve, reject } = Promise.withResolvers<SolverReply>()
    const ended = (code: number): void =>
      reject(new AppError('SOLVER_FAILED', `the thread of the solver ended with code ${code}`))
    const failed = (cause: unknown): void =>
      reject(new AppError('SOLVER_FAILED', 'the thread of the solver failed', { cause }))
    worker.once('message', resolve).once('error', failed).once('exit', ended)
    worker.ref()
    worker.postMessage(question)
    return promise.finally(() => {
      worker.off('message', resolve).off('error', failed).off('exit', ended)
      worker.unref()
    })
  }
}

function limitOf(timeLimitMs: number): number {
  if (Number.isNaN(timeLimitMs))
    throw new AppError('SOLVER_FAILED', `the time limit is ${timeLimitMs}, not a number of ms`)
  return Math.min(Math.max(0, timeLimitMs), LONGEST_MS)
}

function msUntil(endMs: number): number {
  return Math.max(0, Math.ceil(endMs - performance.now()))
}

function outOfTime({ rows }: IntegerProgram): SolverAnswer {
  return { kind: 'out-of-time', prices: rows.map(() => 0) }
}

/** What the promise brings, or the signal's reason when that comes first. */
function orStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return Promise.race([promise, stopped]).finally(() => signal.removeEventListener('abort', stop))
}
