import { parseArgs } from 'node:util'
import { benchGenerator } from './estimator/generator-figures.ts'
import { benchTrace } from './estimator/trace-bench.ts'
import { renderFigures, writeFigures } from './report.ts'

const usage = `Usage: npm run bench:estimator -- [--traces DIR] [--json FILE]

Replays GenTD26 forward (the traces stay where they are: their licence allows study alone), then runs 1,000 generated
workloads with known truth through 28 days. Without --traces the generator alone runs. Prints one table with the goal
beside each figure; --json writes the figures to FILE.`

const { values } = parseArgs({
  options: { traces: { type: 'string' }, json: { type: 'string' }, help: { type: 'boolean' } }
})
if (values.help === true) {
  console.log(usage)
} else {
  if (values.traces === undefined)
    console.error('no --traces: GenTD26 is not replayed, the generator alone runs')
  else
    console.error('trace: GenTD26 (Alibaba cluster-trace-v2026-GenAI), one service, one day, values scaled …')
  const replayed = values.traces === undefined ? [] : benchTrace(values.traces)
  console.error('generator …')
  const figures = [...replayed, ...benchGenerator()]
  console.log(renderFigures(figures))
  if (values.json !== undefined) writeFigures(values.json, figures)
}
