import type { Test } from 'tap'
import type { BedOptions } from './bed-options.ts'
import { findBinaries } from './binaries.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts'
import { type Bed, startBed } from './start-bed.ts'

/** What a test on a bed works with. */
export type OnBed = { readonly bed: Bed; readonly simulator: Simulator }

/** What may differ from the default bed. */
type BedTestOptions = BedOptions &
  SimulatorOptions & {
    /** The API server goes away in the middle, which the simulator counts as faults; default false: it must meet none. */
    readonly losesApiServer?: boolean
  }

/** A first build of the programs takes its time, ms; a bed's tests do not. */
const BUILD_TIMEOUT_MS = 40 * 60_000
const TEST_TIMEOUT_MS = 10 * 60_000

/**
 * Runs `work` as the test `name` on a bed of its own, with a simulator; the bed is stopped however `work` ends.
 * Put all subtests of a file into one call, so that they share the bed.
 * Without the programs the test is skipped, with one loud line on standard error; with CI set it fails.
 */
export function bedTest(
  t: Test,
  name: string,
  work: (t: Test, on: OnBed) => Promise<void>,
  options: BedTestOptions = {}
): Promise<unknown> {
  t.setTimeout(BUILD_TIMEOUT_MS)
  return findBinaries().then((binaries) => {
    t.setTimeout(TEST_TIMEOUT_MS)
    if (binaries.kind === 'found') {
      return t.test(name, { timeout: TEST_TIMEOUT_MS }, (tt) =>
        onBed(tt, work, { binaries: binaries.paths, ...options })
      )
    }
    if (process.env['CI']) return t.test(name, async (tt) => void tt.fail(binaries.how))
    process.stderr.write(`\nSKIPPED: ${name}: ${binaries.how}\n\n`)
    return t.test(name, { skip: binaries.how }, () => undefined)
  })
}

async function onBed(
  t: Test,
  work: (t: Test, on: OnBed) => Promise<void>,
  options: BedTestOptions
): Promise<void> {
  const bed = await startBed(options)
  t.teardown(() => bed.stop())
  const simulator = startSimulator(bed, options)
  t.teardown(() => simulator.stop())
  await work(t, { bed, simulator })
  if (options.losesApiServer !== true) t.strictSame(simulator.faults, [], 'the simulator met no fault')
}
