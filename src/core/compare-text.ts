/** Total order of texts by their code units, the same on every machine and in every language. */
export function compareText(a: string, b: string): number {
  return Number(a > b) - Number(a < b)
}
