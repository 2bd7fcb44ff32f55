import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { DecisionInput } from '../../../src/core/decision/decision.ts'
import type { CanaryState, WorkloadUsage } from '../../../src/core/usage/usage.ts'
import { anInput, NOW_MS } from '../../build/input.ts'
import { aPolicy } from '../../build/policy.ts'
import { aUsage } from '../../build/usage.ts'

const share = 'mig-1g.10gb'
const canary = { canary: { pods: 2, healthyFor: '2h' } }

function reasonOf(change: Partial<DecisionInput>, usage: Partial<WorkloadUsage> = {}, policy = {}): string {
  const input = anInput({ policies: [aPolicy(policy)], usage: { ...aUsage(), ...usage } })
  return decide({ ...input, ...change }).reason
}

function said(state: CanaryState['state'], change: Partial<CanaryState> = {}): Partial<WorkloadUsage> {
  return { canary: { share, state, untilMs: undefined, message: undefined, ...change } }
}

const siblings = (pods: number) => [{ share, snapshot: 'x', pods }]

t.test('[DEC59] a workload whose pods waited in vain keeps whole GPUs until the time has come', async (t) => {
  t.equal(reasonOf({}, { fallback: { share, untilMs: NOW_MS + 1 } }), 'FellBackToWholeGpu')
  t.equal(reasonOf({}, { fallback: { share, untilMs: NOW_MS } }), 'FitsMigProfile')
})

const table: readonly {
  name: string
  change: Partial<DecisionInput>
  usage?: Partial<WorkloadUsage>
  want: string
}[] = [
  { name: 'nobody tries it yet', change: {}, want: 'FitsMigProfile' },
  { name: 'one of two tries it', change: { siblings: siblings(1) }, want: 'FitsMigProfile' },
  { name: 'two of two try it', change: { siblings: siblings(2) }, want: 'CanaryPending' },
  { name: 'two were answered and nobody has seen them', change: { unseen: 2 }, want: 'CanaryPending' },
  { name: 'it has passed', change: { siblings: siblings(2) }, usage: said('passed'), want: 'FitsMigProfile' },
  {
    name: 'another share has passed',
    change: { siblings: siblings(2) },
    usage: said('passed', { share: 'mig-2g.20gb' }),
    want: 'CanaryPending'
  },
  { name: 'it has failed', change: {}, usage: said('failed', { untilMs: NOW_MS + 1 }), want: 'CanaryFailed' },
  {
    name: 'it failed long ago',
    change: {},
    usage: said('failed', { untilMs: NOW_MS }),
    want: 'FitsMigProfile'
  }
]
for (const { name, change, usage, want } of table) {
  t.test(`[DEC60] under a canary of two pods, ${name}: ${want}`, async (t) => {
    t.equal(reasonOf(change, usage, canary), want)
  })
}

t.test('[DEC60] without a canary all pods get the share', async (t) => {
  t.equal(reasonOf({ siblings: siblings(50) }), 'FitsMigProfile')
})
