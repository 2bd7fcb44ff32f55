import { byRatio, conformalFactor } from './conformal.ts'
import type { PastDecision } from './past-decisions.ts'
import type { EstimatorSettings } from './settings.ts'

/** What decisions on a history of this length have taught. */
export interface HeadroomRung {
  /** Least clean history that it is for, in blocks. */
  readonly fromBlocks: number
  /** Times the peak; absent while there are too few decisions. */
  readonly factor?: number
  /** Past decisions behind it. */
  readonly decisions: number
  /**
   * Whether all of them stood on histories of this length. Then the risk is the stated one; with shorter ones among them,
   * which were passed more often, it is at most that.
   */
  readonly isMatched: boolean
}

/** Headroom that the fleet has taught for one kind of workload; a few hundred bytes of plain JSON. */
export interface LearntHeadroom {
  /** Risk that the factors aim at now: the stated one, less where past factors were passed too often. */
  readonly riskRatio: number
  /** Share of past decisions that passed the factor of their time; absent before there are any. */
  readonly observedRatio?: number
  readonly rungs: readonly HeadroomRung[]
}

/** History lengths that are learnt apart, in blocks: the peak of two days tells less about next week than that of twenty. */
export const RUNGS_FROM_BLOCKS = [1, 2, 3, 5, 7, 10, 14, 21] as const

/** Decision times that are pooled at least; with fewer, one odd week would decide, so the worst of them counts. */
const POOL_FROM_TIMES = 4

/** Speed at which the risk follows what was observed: 15 % passed at a stated 5 % takes it from 5 % to 4 %. */
const RISK_STEP = 0.1

/** The adapted risk stays above this part of the stated one: 0.5 % at 5 %. */
const LEAST_RISK_PART = 0.1

/**
 * Learns from the past decisions of all workloads of a kind. Ratios of a rung are used for decisions of that rung;
 * where it has too few, those on shorter histories join, which errs on the safe side. The risk adapts to the share of
 * past decisions that passed the factor of their time (adaptive conformal inference); it never rises above the stated
 * one. Depends on the decisions alone, not on their order.
 * @source Gibbs and Candès, Adaptive Conformal Inference Under Distribution Shift, 2021
 */
export function learnHeadroom(
  decisions: readonly PastDecision[],
  settings: EstimatorSettings
): LearntHeadroom {
  const sorted = decisions
    .filter(({ ratio, cleanBlocks }) => Number.isFinite(ratio) && rungIndexOf(cleanBlocks) >= 0)
    .map((decision) => ({ ...decision, rung: rungIndexOf(decision.cleanBlocks) }))
    .sort(byRatio)
  const { riskRatio, observedRatio } = adaptRisk(sorted, settings)
  const rungs = RUNGS_FROM_BLOCKS.map((fromBlocks, rung) => {
    const { factor, ...behind } = factorOf(sorted, { rung, riskRatio })
    return factor === undefined ? { fromBlocks, ...behind } : { fromBlocks, factor, ...behind }
  })
  return observedRatio === undefined ? { riskRatio, rungs } : { riskRatio, observedRatio, rungs }
}

/** The rung that a history of this length stands on; undefined below the first one. */
export function rungFor(rungs: readonly HeadroomRung[], cleanBlocks: number): HeadroomRung | undefined {
  return rungs.findLast(({ fromBlocks }) => cleanBlocks >= fromBlocks)
}

interface Learnt {
  readonly factor: number | undefined
  readonly decisions: number
  readonly isMatched: boolean
}

interface Ranked extends PastDecision {
  readonly rung: number
}

function rungIndexOf(cleanBlocks: number): number {
  return RUNGS_FROM_BLOCKS.findLastIndex((fromBlocks) => cleanBlocks >= fromBlocks)
}

function factorOf(
  sorted: readonly Ranked[],
  { rung, riskRatio }: { readonly rung: number; readonly riskRatio: number }
): Learnt {
  for (let lowest = rung; lowest >= 0; lowest -= 1) {
    const pool = sorted.filter((decision) => decision.rung <= rung && decision.rung >= lowest)
    if (new Set(pool.map(({ atMs }) => atMs)).size < POOL_FROM_TIMES) continue
    const factor = conformalFactor(pool, riskRatio)
    if (factor !== undefined) return { factor, decisions: pool.length, isMatched: lowest === rung }
  }
  return worstTimeOf(
    sorted.filter((decision) => decision.rung <= rung),
    riskRatio
  )
}

/** The largest factor that one decision time alone asks for. */
function worstTimeOf(pool: readonly Ranked[], riskRatio: number): Learnt {
  const byTime = Map.groupBy(pool, ({ atMs }) => atMs)
  const factors = [...byTime.values()].flatMap((same) => conformalFactor(same, riskRatio) ?? [])
  return {
    factor: factors.length === 0 ? undefined : Math.max(...factors),
    decisions: pool.length,
    isMatched: false
  }
}

/** Walks through the past decision times; each knows only what was over by then. */
function adaptRisk(
  sorted: readonly Ranked[],
  { riskRatio: statedRatio, blockMs, horizonBlocks }: EstimatorSettings
): { readonly riskRatio: number; readonly observedRatio: number | undefined } {
  const byTime = [...Map.groupBy(sorted, ({ atMs }) => atMs)].sort(([a], [b]) => a - b)
  const results: { readonly closedAtMs: number; readonly passed: number; readonly judged: number }[] = []
  for (const [atMs, same] of byTime) {
    const riskRatio = riskAfter(
      results.filter(({ closedAtMs }) => closedAtMs <= atMs),
      statedRatio
    )
    const over = sorted.filter((decision) => decision.atMs + horizonBlocks * blockMs <= atMs)
    const factors = RUNGS_FROM_BLOCKS.map((_, rung) => factorOf(over, { rung, riskRatio }).factor)
    const passes = same.flatMap(({ rung, ratio }) => {
      const factor = factors[rung]
      return factor === undefined ? [] : ratio > factor
    })
    if (passes.length > 0) {
      const closedAtMs = atMs + horizonBlocks * blockMs
      results.push({ closedAtMs, passed: passes.filter(Boolean).length, judged: passes.length })
    }
  }
  const judged = results.reduce((sum, result) => sum + result.judged, 0)
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  return {
    riskRatio: riskAfter(results, statedRatio),
    observedRatio: judged === 0 ? undefined : passed / judged
  }
}

function riskAfter(
  results: readonly { readonly passed: number; readonly judged: number }[],
  statedRatio: number
): number {
  return results.reduce((riskRatio, { passed, judged }) => {
    const moved = riskRatio + RISK_STEP * (statedRatio - passed / judged)
    return Math.min(statedRatio, Math.max(statedRatio * LEAST_RISK_PART, moved))
  }, statedRatio)
}
