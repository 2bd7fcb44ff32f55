import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { GENTD26_FILE } from './estimator/trace.ts'
import { benchFleets } from './pack/fleet-bench.ts'
import { benchFrontier } from './pack/frontier-bench.ts'
import { benchGenTd26 } from './pack/gentd26.ts'
import { benchOneModel } from './pack/one-model.ts'
import { benchOpenb, OPENB_FILE } from './pack/openb.ts'
import { benchParvaGpu, PARVAGPU_FILES } from './pack/parvagpu.ts'
import type { Figure } from './report.ts'

/** A part of the bench and the files that it reads in the folder of traces. */
interface Part {
  readonly files: readonly string[]
  readonly bench: (traces: string) => readonly Figure[] | Promise<readonly Figure[]>
}

/** One part of the packing bench in a process of its own, for its peak memory: `node pack-child.ts PART [TRACES]`. */
const [, , name = '', traces = ''] = process.argv
const parts: Readonly<Record<string, Part>> = {
  parvagpu: { files: PARVAGPU_FILES, bench: benchParvaGpu },
  gentd26: { files: [GENTD26_FILE], bench: benchGenTd26 },
  openb: { files: [OPENB_FILE], bench: benchOpenb },
  'one-model': { files: [], bench: benchOneModel },
  fleets: { files: [], bench: benchFleets },
  frontier: { files: [], bench: benchFrontier }
}

const part = parts[name]
if (part === undefined) throw new Error(`no part ${name}`)
const missing = part.files.filter((file) => !existsSync(join(traces, file)))
if (missing.length > 0) {
  console.log(`${name}: data missing, no ${missing.join(' and no ')} in ${traces}`)
} else {
  const figures = await part.bench(traces)
  const peakMiB = process.resourceUsage().maxRSS / 1024
  process.send?.([...figures, { name: `${name}: peak memory`, value: peakMiB, unit: 'MiB' }])
}
if (process.connected) process.disconnect()
