import { benchFleets } from './pack/fleet-bench.ts'
import { benchOneModel } from './pack/one-model.ts'
import { benchParvaGpu } from './pack/parvagpu.ts'
import type { Figure } from './report.ts'

/** One part of the packing bench in a process of its own, for its peak memory: `node pack-child.ts PART [TRACES]`. */
const [, , part = '', traces = ''] = process.argv
const parts: Readonly<Record<string, () => readonly Figure[] | Promise<readonly Figure[]>>> = {
  parvagpu: () => benchParvaGpu(traces),
  'one-model': benchOneModel,
  fleets: benchFleets
}

const bench = parts[part]
if (bench === undefined) throw new Error(`no part ${part}`)
const figures = await bench()
const peakMiB = process.resourceUsage().maxRSS / 1024
process.send?.([...figures, { name: `${part}: peak memory`, value: peakMiB, unit: 'MiB' }])
process.disconnect()
