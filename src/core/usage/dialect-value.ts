import { findModelByProductLabel } from '../gpu/catalog.ts'
import type { SourceUnit } from './dialect.ts'
import type { DiscardReason } from './dialect-series.ts'

/** A value in our own unit (MiB, or a ratio), or why it is not believed. */
export type ReadValue =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'discard'; readonly why: Extract<DiscardReason, ValueFault> }

type ValueFault = 'blank' | 'not-a-number' | 'infinite' | 'negative' | 'impossible'

/**
 * Memory that no GPU has, MiB: 1 TiB. It is also the number of bytes in a MiB, so a figure in bytes that is read as MiB is above it
 * as soon as one MiB is in use, and is refused instead of passing for a full GPU.
 */
export const IMPOSSIBLE_MIB = 1024 * 1024

/** How far above the listed memory of a model a value may lie: boards of one name differ a little. */
const MEMORY_TOLERANCE_RATIO = 0.02

/** How far above 1 a ratio may lie before it is no ratio; what lies between is rounding of the counter and counts as 1. */
const RATIO_TOLERANCE = 0.01

/**
 * What DCGM writes where it has no value: blank, not found, not supported, not permitted, in three widths of number. The widest
 * cannot be told apart as a floating point number, so everything from there on counts.
 * @source NVIDIA/DCGM dcgmlib/dcgm_structs.h, DCGM_INT32_BLANK, DCGM_INT64_BLANK, DCGM_FP64_BLANK
 */
const blanks: readonly { readonly from: number; readonly to: number }[] = [
  { from: 0x7f_ff_ff_f0, to: 0x7f_ff_ff_ff },
  { from: 140_737_488_355_328, to: 140_737_488_355_343 },
  { from: 9.2e18, to: 9.3e18 }
]

const factorOf: Readonly<Record<SourceUnit, number>> = {
  MiB: 1,
  bytes: 1 / (1024 * 1024),
  ratio: 1,
  percent: 0.01
}

/**
 * Reads one value of a source.
 * @param raw number as the source prints it, in `unit`
 * @param model product label of the GPU, '' where it is not known; a listed model's memory bounds the value
 * @example readValue(7516192768, 'bytes', '') is 7168; readValue(2147483632, 'MiB', '') is a blank
 */
export function readValue(raw: number, unit: SourceUnit, model: string): ReadValue {
  const why = faultOf(raw)
  if (why !== undefined) return { kind: 'discard', why }
  const value = raw * factorOf[unit]
  if (unit === 'MiB' || unit === 'bytes') {
    return value > mostMiB(model) ? { kind: 'discard', why: 'impossible' } : { kind: 'value', value }
  }
  if (value > 1 + RATIO_TOLERANCE) return { kind: 'discard', why: 'impossible' }
  return { kind: 'value', value: Math.min(1, value) }
}

function faultOf(raw: number): ValueFault | undefined {
  if (Number.isNaN(raw)) return 'not-a-number'
  if (!Number.isFinite(raw)) return 'infinite'
  if (blanks.some(({ from, to }) => raw >= from && raw <= to)) return 'blank'
  return raw < 0 ? 'negative' : undefined
}

function mostMiB(model: string): number {
  const listed = model === '' ? undefined : findModelByProductLabel(model)
  const sizes = [listed?.totalMemoryMiB ?? 0, ...(listed?.totalMemoryVariantsMiB ?? [])]
  const largest = Math.max(...sizes)
  return largest > 0 ? largest * (1 + MEMORY_TOLERANCE_RATIO) : IMPOSSIBLE_MIB
}

/** Reads a number as Prometheus and the text format print it: `NaN`, `+Inf`, `-Inf`, `4.1e3`; anything else is not a number. */
export function parseSampleValue(text: string): number {
  const infinity = /^([+-]?)inf(inity)?$/i.exec(text)
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
}
