import { busyAboveRule, headroomRule } from '../api/gpu-policy-rules.ts'
import type { Parsed } from './fault.ts'

/** Headroom above this is refused: 500 % turns a peak of 1000 MiB into a need of 6000 MiB. */
const MAX_HEADROOM_PERCENT = 500

const NUMBER = /^([0-9]{1,4}(?:\.[0-9]{1,6})?|\.[0-9]{1,6})( ?%)?$/

interface Spelled {
  readonly number: number
  readonly isPercent: boolean
}

function read(value: unknown): Spelled | undefined {
  const text = typeof value === 'number' ? String(value) : value
  const parts = typeof text === 'string' ? NUMBER.exec(text.trim()) : null
  return parts === null ? undefined : { number: Number(parts[1]), isPercent: parts[2] !== undefined }
}

/** A bare number: below 1 it is a fraction, a whole number from 2 on is percent, everything else could be either. */
function toPercent({ number, isPercent }: Spelled): number | undefined {
  if (isPercent) {
    return number
  }
  if (number < 1) {
    return number * 100
  }
  return number > 1 && Number.isInteger(number) ? number : undefined
}

/**
 * Reads a safety margin. With a percent sign it is percent, from 0 % to 500 %. Without, a number below 1 is a fraction (`0.2`
 * is 20 %) and a whole number from 2 to 500 is percent (`20` is 20 %). Strings and numbers mean the same. `1` (1 % or 100 %?),
 * `1.2` (a factor, or 120 %?), negative numbers, other units and the empty text are refused.
 * @returns the ratio that is added to the peak, 0.2 means 20 %
 */
export function parseHeadroom(value: unknown): Parsed<{ readonly ratio: number }> {
  const spelled = read(value)
  if (spelled === undefined) {
    return { ok: false, message: headroomRule.message }
  }
  const percent = toPercent(spelled)
  if (percent === undefined) {
    return {
      ok: false,
      message: `could mean a fraction, a percentage or a factor; ${headroomRule.message}`
    }
  }
  if (percent > MAX_HEADROOM_PERCENT) {
    return { ok: false, message: headroomRule.message }
  }
  return { ok: true, ratio: spelled.isPercent || spelled.number >= 1 ? percent / 100 : spelled.number }
}

/**
 * Reads the compute from which a workload counts as busy: a percentage up to 100 %, or a fraction below 1.
 * @returns the ratio, 0.8 means 80 %
 */
export function parseBusyAbove(value: unknown): Parsed<{ readonly ratio: number }> {
  const spelled = read(value)
  const ratio = spelled?.isPercent === true ? spelled.number / 100 : spelled?.number
  const isBelow = spelled?.isPercent === true ? Number(ratio) <= 1 : Number(ratio) < 1
  return ratio !== undefined && isBelow ? { ok: true, ratio } : { ok: false, message: busyAboveRule.message }
}
