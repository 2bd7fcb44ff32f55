/** Numbers that look random and are the same in every run. */
export interface Random {
  /** From 0 to below 1. */
  readonly uniform: () => number
  readonly between: (least: number, most: number) => number
  /** Around 1: multiplies a level by e^(σ z), z normal. */
  readonly noise: (sigma: number) => number
}

/** A generator that starts from `seed` (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return {
    uniform,
    between: (least, most) => least + (most - least) * uniform(),
    noise: (sigma) => Math.exp(sigma * normal())
  }
}
