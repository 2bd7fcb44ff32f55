/**
 * Numbers that only look random: the same seed and index give the same ones on every machine.
 * @source Tommy Ettinger's mulberry32 (public domain), with the finalizer of MurmurHash3 for the start
 */
export class Random {
  #state: number

  constructor(seed: number, index: number) {
    this.#state = scramble(scramble(seed | 0) ^ (index | 0))
  }

  /** From 0 up to, and without, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 up to, and without, `end`; 0 where `end` is 0. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** true once in `times`, on average. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  /** One of them. */
  pick<T>(choices: readonly [T, ...T[]]): T
  pick<T>(choices: readonly T[]): T | undefined
  pick<T>(choices: readonly T[]): T | undefined {
    return choices[this.below(choices.length)]
  }

  /** A length that is mostly small, and now and then up to `most`. */
  length(most: number): number {
    return Math.floor(most ** this.next())
  }
}

function scramble(value: number): number {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
