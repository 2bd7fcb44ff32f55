import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Figure } from './report.ts'
import { runBenches } from './run-benches.ts'

const usage = `Usage: npm run bench:pack -- [--traces DIR] [--json FILE]

Packs the six scenarios of ParvaGPU, the pods of GenTD26 (one service for one day) by estimates and by their true peaks, and those
of openb that share a GPU, all from --traces, where they stay; then six mixes of slices on one model, mixed fleets of five models,
and what can be freed on 1,000 nodes for how many moved pods. Each runs in a process of its own, and every packing of one model is checked again: its certificate, each card, each
workload; and so is every plan of moves. Without --traces the generated instances alone run. Prints one table with the goal beside each figure; --json writes
the figures to FILE. Exits with 1 when an answer does not hold; a goal that is missed is said in the table alone.`

const file = fileURLToPath(new URL('pack-child.ts', import.meta.url))
const fromTraces = ['parvagpu', 'gentd26', 'openb']
const generated = ['one-model', 'fleets', 'frontier']

/** Figures of one part; none where its data are missing. */
async function run(part: string, traces: string): Promise<readonly Figure[]> {
  const child = fork(file, [part, traces], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const figures: Figure[] = []
  child.on('message', (message: readonly Figure[]) => figures.push(...message))
  const [code] = await ended
  if (code !== 0) {
    console.error(`${part} ended with code ${code}`)
    process.exitCode = 1
  }
  return figures
}

const { values } = parseArgs({
  options: { traces: { type: 'string' }, json: { type: 'string' }, help: { type: 'boolean' } }
})
if (values.help === true) {
  console.log(usage)
} else {
  const { traces } = values
  if (traces === undefined)
    console.log(`data missing: no --traces, so ${fromTraces.join(', ')} are not packed`)
  const parts = traces === undefined ? generated : [...fromTraces, ...generated]
  const benches = Object.fromEntries(parts.map((part) => [part, () => run(part, traces ?? '')]))
  await runBenches(benches, { usage, only: undefined, json: values.json })
}
