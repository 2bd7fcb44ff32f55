/**
 * The value to six digits after the point, without what multiplying fractions leaves behind them.
 * @example 0.1 + 0.2 is 0.30000000000000004, and 0.3 with this
 */
export function toMicros(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
