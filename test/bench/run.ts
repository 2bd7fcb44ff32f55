import { parseArgs } from 'node:util'
import { benchDecide } from './decide-bench.ts'
import { benchIsolation } from './isolation-bench.ts'
import { benchPolicies } from './policies-bench.ts'
import { type Bench, runBenches } from './run-benches.ts'
import { benchStore } from './store-bench.ts'
import { benchWebhook } from './webhook-bench.ts'

const usage = `Usage: npm run bench -- [--only decide|isolation|policies|webhook|store] [--json FILE]

Measures how long a decision takes at several sizes of the cluster, and what a review costs beside a bare echo server in
the same run, what the admission policies add in a real API server, and what a large cluster in memory takes. Prints one table with the goal beside each figure; --json writes the figures to FILE.`

const benches: Readonly<Record<string, Bench>> = {
  decide: () => benchDecide(),
  isolation: () => benchIsolation(),
  policies: () => benchPolicies(),
  webhook: () => benchWebhook(),
  store: () => benchStore()
}

const { values } = parseArgs({
  options: { only: { type: 'string' }, json: { type: 'string' }, help: { type: 'boolean' } }
})
if (values.help === true) console.log(usage)
else await runBenches(benches, { usage, only: values.only, json: values.json })
