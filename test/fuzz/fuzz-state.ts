import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { ChunkResult } from './run-chunk.ts'

const FindingSchema = z.object({
  index: z.number(),
  path: z.string(),
  law: z.string(),
  steps: z.array(z.string()).readonly()
})

const StateSchema = z.object({
  seed: z.number(),
  /** Number of reviews that one chunk holds; chunks begin at its multiples. */
  chunkSize: z.number(),
  /** Beginnings of the chunks that are done. */
  done: z.array(z.number()),
  tried: z.number(),
  /** Time that processes took in all, and their CPU, seconds. */
  seconds: z.number(),
  cpuSeconds: z.number(),
  findings: z.array(FindingSchema),
  outcomes: z.record(z.string(), z.number()),
  slowest: z.object({ index: z.number(), cpuMs: z.number() }),
  /** Memory after each chunk, one entry for each process that lived, MiB. */
  memory: z.array(z.object({ life: z.string(), rssMiB: z.array(z.number()) }))
})

/** How far a run has come. */
export type FuzzState = z.infer<typeof StateSchema>

/** A run that has not begun. */
export function freshState(seed: number, chunkSize: number): FuzzState {
  const slowest = { index: 0, cpuMs: 0 }
  return {
    seed,
    chunkSize,
    done: [],
    tried: 0,
    seconds: 0,
    cpuSeconds: 0,
    findings: [],
    outcomes: {},
    slowest,
    memory: []
  }
}

/** The state of the file, or a fresh one where there is none; throws for a file of another seed or kind. */
export function readState(file: string, seed: number, chunkSize: number): FuzzState {
  if (!existsSync(file)) return freshState(seed, chunkSize)
  const state = StateSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  if (state.seed !== seed || state.chunkSize !== chunkSize)
    throw new Error(`${file} is of seed ${state.seed} and chunks of ${state.chunkSize}`)
  return state
}

/** Writes the file in one step, so that an end in the middle leaves the one before. */
export function writeState(file: string, state: FuzzState): void {
  writeFileSync(`${file}.new`, JSON.stringify(state))
  renameSync(`${file}.new`, file)
}

/** The state after a chunk. */
export function withChunk(state: FuzzState, result: ChunkResult): FuzzState {
  const outcomes = { ...state.outcomes }
  for (const [outcome, count] of Object.entries(result.outcomes))
    outcomes[outcome] = (outcomes[outcome] ?? 0) + count
  return {
    ...state,
    done: [...state.done, result.from],
    tried: state.tried + result.to - result.from,
    cpuSeconds: state.cpuSeconds + result.cpuSeconds,
    findings: [...state.findings, ...result.findings],
    outcomes,
    slowest: result.slowest.cpuMs > state.slowest.cpuMs ? result.slowest : state.slowest
  }
}

/** The state with one more sample of the memory of a process. */
export function withMemory(state: FuzzState, life: string, rssMiB: number): FuzzState {
  const rounded = Math.round(rssMiB * 10) / 10
  const known = state.memory.some((entry) => entry.life === life)
  const memory = known ? state.memory : [...state.memory, { life, rssMiB: [] }]
  return {
    ...state,
    memory: memory.map((entry) =>
      entry.life === life ? { life, rssMiB: [...entry.rssMiB, rounded] } : entry
    )
  }
}
