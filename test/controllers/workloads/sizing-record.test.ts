import t from 'tap'
import { fromSizing, toSizing } from '../../../src/controllers/workloads/sizing-record.ts'
import { ContainerSizing } from '../../../src/core/api/gpu-workload-sizing.ts'
import { type EstimatorState, emptyState } from '../../../src/core/usage/estimator/estimate.ts'
import { DAY_MS, MODEL } from '../rig.ts'

const dayMs = Date.parse('2026-11-20T00:00:00Z')
const full: EstimatorState = {
  size: {
    heldMiB: 9728,
    changedMs: dayMs,
    checks: Array.from({ length: 7 }, (_, index) => ({
      dayMs: dayMs + index * DAY_MS,
      peakMiB: 5200 + index
    }))
  },
  stepUps: [{ atMs: dayMs, failedMiB: 9728, evidence: 'message', image: 'registry.example/app:1' }],
  checkedMs: dayMs + 7 * DAY_MS
}

for (const [what, state] of Object.entries({ empty: emptyState, full })) {
  t.test(`a state that is ${what} comes back as it was, and fits the schema`, async (t) => {
    const sizing = toSizing(MODEL, state)

    t.strictSame(fromSizing(ContainerSizing.parse(JSON.parse(JSON.stringify(sizing)))), state)
  })
}

t.test('what was never remembered is the state of a whole GPU', async (t) => {
  t.strictSame(fromSizing(undefined), emptyState)
})

t.test('sizes are cut down and peaks rounded up, so that nothing looks smaller than it is', async (t) => {
  const sizing = toSizing(MODEL, {
    size: { heldMiB: 9728.9, changedMs: undefined, checks: [{ dayMs, peakMiB: 5200.1 }] },
    stepUps: [],
    checkedMs: undefined
  })

  t.match(sizing, { heldMiB: 9728, checks: [{ peakMiB: 5201 }] })
})

t.test('times that nobody can read are left out', async (t) => {
  const state = fromSizing({
    model: MODEL,
    changedAt: 'yesterday',
    checks: [{ day: 'monday', peakMiB: 1 }],
    stepUps: [{ at: '', failedMiB: 1, evidence: 'message', image: '' }]
  })

  t.strictSame(state, emptyState)
})
