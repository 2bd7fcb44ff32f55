import { type Figure, renderFigures, writeFigures } from './report.ts'

/** Measures something; short: only to show that it runs. */
export type Bench = (isShort: boolean) => readonly Figure[] | Promise<readonly Figure[]>

/** What was asked for. */
interface Wanted {
  readonly usage: string
  /** Name of the only one that is to run. */
  readonly only: string | undefined
  readonly isShort?: boolean
  /** File that the figures are written to. */
  readonly json: string | undefined
}

/** Runs benchmarks one after the other and prints one table. @throws where there is none of the name */
export async function runBenches(
  benches: Readonly<Record<string, Bench>>,
  { usage, only, isShort = false, json }: Wanted
): Promise<void> {
  const figures: Figure[] = []
  for (const name of only === undefined ? Object.keys(benches) : [only]) {
    const bench = benches[name]
    if (bench === undefined) throw new Error(`no benchmark "${name}"\n${usage}`)
    console.error(`${name} …`)
    figures.push(...(await bench(isShort)))
  }
  console.log(renderFigures(figures))
  if (json !== undefined) writeFigures(json, figures)
}
