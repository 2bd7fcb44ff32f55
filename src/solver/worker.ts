import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type highsPackage from 'highs'
import type { IntegerProgram } from '../core/pack/integer-program.ts'
import type { SolverAnswer } from '../ports/solver.ts'
import { solveWithHighs } from './highs-model.ts'

/** What the worker is asked, and what it says; one question at a time. */
export interface SolverQuestion {
  readonly program: IntegerProgram
  readonly timeLimitMs: number
}

/** The answer, or what went wrong. */
export type SolverReply = { readonly answer: SolverAnswer } | { readonly fault: string }

/** The types of the package are those of its CommonJS build, so that one is loaded. */
const loadHighs: typeof highsPackage.default = createRequire(import.meta.url)('highs')
const highs = loadHighs()

parentPort?.on('message', ({ program, timeLimitMs }: SolverQuestion) => {
  void reply(program, timeLimitMs).then((said) => parentPort?.postMessage(said))
})

async function reply(program: IntegerProgram, timeLimitMs: number): Promise<SolverReply> {
  try {
    return { answer: solveWithHighs(await highs, program, timeLimitMs) }
  } catch (fault) {
    return { fault: fault instanceof Error ? fault.message : String(fault) }
  }
}
