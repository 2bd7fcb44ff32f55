import { buildProgram, sourceProgram } from './built-program.ts'
import { type Figure, quantile } from './report.ts'
import { openStage, startWhole } from './whole-webhook.ts'

/** How often, and what. */
export interface StartPlan {
  readonly starts: number
  /** Builds the program as an image holds it; the sources start more slowly. */
  readonly isBuilt: boolean
}

const usualPlan: StartPlan = { starts: 5, isBuilt: true }

/** Starts of the program until `/readyz` answers 200, on a cluster of 1,000 nodes and 10,000 pods with GPUs. */
export async function benchStart({ starts, isBuilt }: StartPlan = usualPlan): Promise<readonly Figure[]> {
  const program = isBuilt ? await buildProgram() : sourceProgram
  const stage = await openStage('busy')
  const readyMs: number[] = []
  try {
    for (let start = 0; start < starts; start += 1) {
      const webhook = await startWhole(stage, { cli: program.cli })
      readyMs.push(webhook.readyMs)
      await webhook.stop()
    }
  } finally {
    stage.close()
    program.remove()
  }
  const name = `cold start to ready, 1000 nodes${isBuilt ? '' : ', from the sources'}`
  return [
    { name, value: quantile(readyMs, 0.5) / 1000, unit: 's', comparison: '<=', goal: 2 },
    { name: `${name}: longest of ${starts}`, value: quantile(readyMs, 1) / 1000, unit: 's' }
  ]
}
