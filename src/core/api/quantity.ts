/**
 * A Kubernetes quantity, exact: `nano` is the value times 10^9, rounded away from zero as the API server does, and cut to 2^63-1 units.
 * @source https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export interface Quantity {
  readonly nano: bigint
}

const NANO = 1_000_000_000n
const BYTES_PER_MIB = 1_048_576n

/** Largest value of a quantity, in nano: what Kubernetes promises to keep. No count and no size of ours comes near. */
const MAX_NANO = (2n ** 63n - 1n) * NANO

/** Longest text that is read, in characters; real ones have at most 30, longer ones are nonsense. */
const MAX_TEXT = 128

/** An exponent beyond this cannot change the answer: MAX_TEXT digits against 10^9 and 2^63. `1e999` is read as `1e200`. */
const MAX_EXPONENT = 200n

/** From this size on `printMiB` speaks of Gi: 3686Mi, but 4.3Gi. */
const PRINT_GI_FROM_MIB = 4096

const GRAMMAR = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/

/** How nearly every count is written; it needs no arithmetic in large numbers. */
const PLAIN_COUNT = /^[0-9]{1,15}$/

const binarySuffixes = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

const decimalSuffixes: Readonly<Record<string, bigint>> = {
  n: -9n,
  u: -6n,
  m: -3n,
  k: 3n,
  M: 6n,
  G: 9n,
  T: 12n,
  P: 15n,
  E: 18n
}

interface Scale {
  readonly base: bigint
  readonly exponent: bigint
}

function scaleOf(suffix: string): Scale {
  const binary = binarySuffixes.indexOf(suffix)
  if (binary >= 0) {
    return { base: 1024n, exponent: BigInt(binary + 1) }
  }
  if (suffix.length > 1) {
    return { base: 10n, exponent: clampExponent(BigInt(suffix.slice(1).replace('+', ''))) }
  }
  return { base: 10n, exponent: decimalSuffixes[suffix] ?? 0n }
}

function clampExponent(exponent: bigint): bigint {
  if (exponent > MAX_EXPONENT) {
    return MAX_EXPONENT
  }
  return exponent < -MAX_EXPONENT ? -MAX_EXPONENT : exponent
}

function toNano(digits: bigint, fractionLength: number, { base, exponent }: Scale): bigint {
  const up = exponent > 0n ? base ** exponent : 1n
  const down = (exponent < 0n ? base ** -exponent : 1n) * 10n ** BigInt(fractionLength)
  const nano = (digits * NANO * up + down - 1n) / down
  return nano > MAX_NANO ? MAX_NANO : nano
}

function quantityText(value: unknown): string | undefined {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? String(value) : undefined
  }
  return typeof value === 'string' ? value.trim() : undefined
}

/**
 * Reads a quantity in any spelling that the API server takes: `1`, `"1000m"`, `"1e0"`, `"+1"`, `"0.001k"`, `"20Gi"`.
 * @param value a string, or a number from JSON
 * @returns undefined for everything that is not a quantity, for a suffix without a digit (`Gi`, which the API server reads as 0),
 *   and for texts longer than 128 characters
 * @source apimachinery `resource.ParseQuantity`
 */
export function parseQuantity(value: unknown): Quantity | undefined {
  const text = quantityText(value)
  const parts = text === undefined || text.length > MAX_TEXT ? null : GRAMMAR.exec(text)
  if (parts === null) {
    return undefined
  }
  const [, sign, whole = '', fraction = '', suffix = ''] = parts
  if (whole + fraction === '') {
    return undefined
  }
  const nano = toNano(BigInt(whole + fraction), fraction.length, scaleOf(suffix))
  return { nano: sign === '-' ? -nano : nano }
}

/**
 * Count of an extended resource: a whole number, zero or more.
 * @returns undefined when `value` is no quantity, negative, has a fraction (`"500m"`) or is beyond 2^53
 */
export function quantityToCount(value: unknown): number | undefined {
  if (typeof value === 'string' && PLAIN_COUNT.test(value)) return Number(value)
  const quantity = parseQuantity(value)
  if (quantity === undefined || quantity.nano < 0n || quantity.nano % NANO !== 0n) {
    return undefined
  }
  const count = Number(quantity.nano / NANO)
  return Number.isSafeInteger(count) ? count : undefined
}

/**
 * A bound as a whole number, rounded down: `"1500m"` is 1; beyond 2^53 it is 2^53-1, which nobody reaches.
 * @returns undefined when `value` is no quantity or negative
 */
export function quantityToWhole(value: unknown): number | undefined {
  const quantity = parseQuantity(value)
  if (quantity === undefined || quantity.nano < 0n) {
    return undefined
  }
  return Math.min(Number(quantity.nano / NANO), Number.MAX_SAFE_INTEGER)
}

/**
 * Size in MiB of a quantity of bytes: `"20Gi"` is 20480, `"512Ki"` is 0.5.
 * @returns undefined when `value` is no quantity or negative
 */
export function quantityToMiB(value: unknown): number | undefined {
  const quantity = parseQuantity(value)
  if (quantity === undefined || quantity.nano < 0n) {
    return undefined
  }
  const nanoPerMiB = BYTES_PER_MIB * NANO
  const rest = Number(quantity.nano % nanoPerMiB) / Number(nanoPerMiB)
  return Number(quantity.nano / nanoPerMiB) + rest
}

/**
 * A size as people read it: whole `Mi` below 4 GiB (`3686Mi`), else `Gi` with one decimal (`4.3Gi`), or two when these are exact (`4.75Gi`).
 * @param mib size in MiB, zero or more
 */
export function printMiB(mib: number): string {
  if (mib < PRINT_GI_FROM_MIB) {
    return `${Math.round(mib)}Mi`
  }
  const gib = mib / 1024
  const isExact = Number.isInteger(gib * 100)
  return `${Number(gib.toFixed(isExact ? 2 : 1))}Gi`
}
