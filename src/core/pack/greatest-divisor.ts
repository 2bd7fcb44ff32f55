/**
 * The greatest whole number that divides both; of 0 and another number it is the other.
 * @param a whole, 0 or more
 * @param b whole, 0 or more
 * @example of 900000 and 2100000 it is 300000
 */
export function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}
