import { parseArgs } from 'node:util'
import { isMet, renderFigures, writeFigures } from '../bench/report.ts'
import { withBed } from '../chaos/on-bed.ts'
import { figuresOf } from './figures.ts'
import { type Progress, type SoakPlan, soak } from './soak.ts'

const usage = `Usage: npm run test:soak -- [--minutes N] [--rate N] [--nodes N] [--json FILE]

One webhook under an even load: pods with GPUs are created in a real API server, nodes change all the time, and every connection between webhook
and API server is reset once a minute. Fails when a creation fails that the policy did not refuse, when memory, sockets or timers grow
after the warm-up (a third of the time, ten minutes at most), or when what is held in memory drifted from the cluster.

  --minutes  how long (60); below 8 the trends are shown without goals
  --rate     creations a second (50), on schedule, whatever becomes of those before
  --nodes    nodes that change (200)
  --json     writes every figure to a file`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '50' },
    nodes: { type: 'string', default: '200' },
    json: { type: 'string' },
    help: { type: 'boolean' }
  }
})

if (values.help === true) console.log(usage)
else await run()

async function run(): Promise<void> {
  const plan: SoakPlan = {
    seconds: Number(values.minutes) * 60,
    perSecond: Number(values.rate),
    nodes: Number(values.nodes),
    resetEverySeconds: 60,
    onProgress: tell
  }
  console.error('cluster, webhook and nodes start …')
  await withBed(async (bed, simulator) => {
    const result = await soak(bed, simulator, plan)
    const figures = figuresOf(result, plan)
    console.log(renderFigures(figures))
    for (const example of result.tally.examples) console.log(`  ${example}`)
    if (values.json !== undefined) writeFigures(values.json, figures)
    if (figures.some((figure) => isMet(figure) === false)) process.exitCode = 1
  })
}

function tell({ atMs, sent, failed, rssMiB, heapMiB, sockets, timers }: Progress): void {
  const memory = `${rssMiB.toFixed(1)} MiB, heap ${heapMiB.toFixed(1)} MiB`
  console.error(
    `${(atMs / 60_000).toFixed(1)} min: ${sent} sent, ${failed} failed, ${memory}, ${sockets} sockets, ${timers} timers`
  )
}
