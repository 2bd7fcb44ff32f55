import { parseArgs } from 'node:util'
import { benchRate } from './rate-bench.ts'
import { type Bench, runBenches } from './run-benches.ts'
import { benchStart } from './start-bench.ts'
import { benchStore } from './store-bench.ts'
import { benchWebhook } from './webhook-bench.ts'

const usage = `Usage: npm run bench:serving -- [--only rate|flat-out|memory|start] [--short] [--json FILE]

Measures what the webhook costs and how long it takes, over TLS and from a process of its own that looks at every answer:
  rate      50 reviews a second, on time whatever becomes of those before, on 1,000 nodes and 10,000 pods with GPUs, beside a bare echo
  flat-out  capacity on 16 connections, and CPU for each review beside the same echo
  memory    memory at 5,000 nodes and 50,000 pods, and the event loop while the nodes are listed anew
  start     from the start of the process to ready
Prints one table with the goal beside each figure; --json writes the figures to FILE. --short takes a few seconds for rate, flat-out and
start each: it shows that everything runs, and its figures say little.`

const benches: Readonly<Record<string, Bench>> = {
  rate: (isShort) => benchRate(isShort ? { rounds: 1, seconds: 1 } : undefined),
  'flat-out': (isShort) =>
    benchWebhook(isShort ? { rounds: 1, seconds: 0.3, warmUpSeconds: 0.2 } : undefined),
  memory: () => benchStore(),
  start: (isShort) => benchStart(isShort ? { starts: 1, isBuilt: false } : undefined)
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean' }
  }
})
if (values.help === true) console.log(usage)
else await runBenches(benches, { usage, only: values.only, isShort: values.short, json: values.json })
