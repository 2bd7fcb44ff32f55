import fc, { type IRawProperty } from 'fast-check'

/**
 * Fails with seed, path and the smallest counterexample when the law does not hold.
 * `FC_SEED` runs the examples of a seed that was printed again, `FC_TIMES=100` runs a hundred times as many.
 */
export function holds<T>(law: IRawProperty<T>, runs = 150): void {
  const { FC_SEED: seed, FC_TIMES: times = '1' } = process.env
  fc.assert(law, {
    numRuns: runs * Number(times),
    ...(seed === undefined ? {} : { seed: Number(seed) })
  })
}
