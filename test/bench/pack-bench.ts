import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Figure, renderFigures, writeFigures } from './report.ts'

const usage = `Usage: npm run bench:pack -- [--traces DIR] [--json FILE]

Packs the six scenarios of ParvaGPU (from --traces; they stay where they are), six mixes of slices on one model, and mixed
fleets of five models, each in a process of its own. Without --traces the generated instances alone run. Prints one table with
the goal beside each figure; --json writes the figures to FILE.`

const file = fileURLToPath(new URL('pack-child.ts', import.meta.url))

async function run(part: string, traces: string): Promise<readonly Figure[]> {
  console.error(`${part} …`)
  const child = fork(file, [part, traces], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const figures: Figure[] = []
  child.on('message', (message: readonly Figure[]) => figures.push(...message))
  const [code] = await ended
  if (code !== 0) throw new Error(`${part} ended with code ${code}`)
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
    console.error('no --traces: ParvaGPU is not packed, the generated instances alone run')
  const figures = traces === undefined ? [] : [...(await run('parvagpu', traces))]
  for (const part of ['one-model', 'fleets']) figures.push(...(await run(part, '')))
  console.log(renderFigures(figures))
  if (values.json !== undefined) writeFigures(values.json, figures)
}
