import { Worker } from 'node:worker_threads'
import { AppError } from '../core/errors.ts'
import type { IntegerProgram } from '../core/pack/integer-program.ts'
import type { SolveLimits, Solver, SolverAnswer } from '../ports/solver.ts'
import type { SolverQuestion, SolverReply } from './worker.ts'

/** Time that a solver may take beyond its limit before it is ended, ms; HiGHS looks at its clock now and then only. */
const GRACE_MS = 1000

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/**
 * HiGHS in a worker thread, so that whoever asks goes on meanwhile. The thread starts with the first question and takes one
 * at a time, in order. A question that is aborted or goes far beyond its limit ends the thread; the next one starts another.
 */
export class HighsSolver implements Solver {
  #worker: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** See `Solver`. */
  readonly solve = (program: IntegerProgram, limits: SolveLimits): Promise<SolverAnswer> => {
    const answer = this.#last.then(() => this.#ask(program, limits))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  /** Ends the thread, and with it the question that is being answered. */
  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  async #ask(program: IntegerProgram, { timeLimitMs, signal }: SolveLimits): Promise<SolverAnswer> {
    signal.throwIfAborted()
    const deadline = AbortSignal.timeout(Math.ceil(timeLimitMs) + GRACE_MS)
    const stopped = AbortSignal.any([signal, deadline])
    this.#worker ??= this.#start()
    try {
      const reply = await this.#question(this.#worker, { program, timeLimitMs }, stopped)
      if ('fault' in reply) throw new AppError('SOLVER_FAILED', `HiGHS: ${reply.fault}`)
      return reply.answer
    } catch (fault) {
      await this.close()
      if (!signal.aborted && deadline.aborted)
        return { kind: 'out-of-time', prices: program.rows.map(() => 0) }
      throw fault
    }
  }

  #start(): Worker {
    const worker = new Worker(workerFile)
    worker.unref()
    return worker
  }

  #question(worker: Worker, question: SolverQuestion, stopped: AbortSignal): Promise<SolverReply> {
    const { promise, resolve, reject } = Promise.withResolvers<SolverReply>()
    const ended = (code: number): void =>
      reject(new AppError('SOLVER_FAILED', `the thread of the solver ended with code ${code}`))
    const failed = (cause: unknown): void =>
      reject(new AppError('SOLVER_FAILED', 'the thread of the solver failed', { cause }))
    const aborted = (): void => reject(stopped.reason)
    worker.once('message', resolve).once('error', failed).once('exit', ended)
    stopped.addEventListener('abort', aborted, { once: true })
    worker.ref()
    worker.postMessage(question)
    return promise.finally(() => {
      worker.off('message', resolve).off('error', failed).off('exit', ended)
      stopped.removeEventListener('abort', aborted)
      worker.unref()
    })
  }
}
