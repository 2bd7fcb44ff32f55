import { parseArgs } from 'node:util'
import { type Figure, isMet, renderFigures, writeFigures } from '../bench/report.ts'
import { withBed } from './on-bed.ts'
import { figuresOf, runStep, type StepResult } from './run-step.ts'
import { setStage } from './stage.ts'
import { steps } from './steps/all.ts'
import { summaryOf } from './summary.ts'

const names = steps.map(({ name }) => name)

const usage = `Usage: npm run test:chaos -- [--seconds N] [--rate N] [--only STEP,...] [--hasty] [--json FILE]

Creates pods with GPUs in a real API server, one in ten of which breaks an isolation rule, while two replicas of the webhook behind a balancer
that forgets late go through mischief. Fails when a creation is refused or timed out that the policy did not refuse.

  --seconds  how long each step lasts at least (30)
  --rate     creations a second (50), on schedule, whatever becomes of those before
  --only     steps: ${names.join(', ')}
  --hasty    replicas look after certificates twice a second and drain for 4 s: all steps in 4 minutes instead of 10
  --json     writes every figure to a file

${steps.map(({ name, about }) => `  ${name.padEnd(20)}${about}`).join('\n')}`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '50' },
    only: { type: 'string' },
    hasty: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean' }
  }
})

const wanted = values.only?.split(',') ?? names
const unknown = wanted.filter((name) => !names.includes(name))

if (values.help === true) console.log(usage)
else if (unknown.length > 0) {
  console.error(`no step "${unknown.join(', ')}"\n\n${usage}`)
  process.exitCode = 2
} else await run()

async function run(): Promise<void> {
  const plan = { seconds: Number(values.seconds), perSecond: Number(values.rate) }
  const results: StepResult[] = []
  const figures: Figure[] = []
  await withBed(async (bed, simulator) => {
    console.error('cluster and replicas start …')
    const stage = await setStage(bed, simulator, {
      replicas: 2,
      isHasty: values.hasty,
      drainSeconds: values.hasty ? 4 : 15,
      lateSeconds: values.hasty ? 2 : 5
    })
    try {
      for (const step of steps.filter(({ name }) => wanted.includes(name))) {
        console.error(`${step.name}: ${step.about} …`)
        const result = await runStep(stage, step, plan)
        const own = figuresOf(result, plan)
        console.log(`\n${step.name}, ${result.seconds.toFixed(0)} s\n${renderFigures(own)}\n`)
        for (const example of result.tally.examples) console.log(`  ${example}`)
        results.push(result)
        figures.push(...own.map((figure) => ({ ...figure, name: `${step.name}: ${figure.name}` })))
      }
    } finally {
      await stage.close()
    }
  })
  console.log(`\n${summaryOf(results, plan)}`)
  if (values.json !== undefined) writeFigures(values.json, figures)
  if (figures.some((figure) => isMet(figure) === false)) process.exitCode = 1
}
