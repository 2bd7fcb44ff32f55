import t from 'tap'
import { PodMemory } from '../../../src/controllers/workloads/pod-memory.ts'
import { withStepUps } from '../../../src/controllers/workloads/step-ups.ts'
import type { UsageBlock } from '../../../src/core/usage/block.ts'
import { defaultSettings } from '../../../src/core/usage/estimator/settings.ts'
import type { StepUp } from '../../../src/core/usage/estimator/step-up.ts'
import { aPodRecord, DAY_MS, MODEL, NOON_MS } from '../rig.ts'

const today = Math.floor(NOON_MS / DAY_MS) * DAY_MS
const rewritten = {
  labels: { 'pod-template-hash': 'h', 'rightslice.dev/slice': 'mig-1g.10gb' },
  annotations: { 'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}' }
}

function aBlock(peakMiB: number): UsageBlock {
  return {
    dayMs: today,
    pod: 'app-6c9d7f8b5d-x2k4p',
    peakMiB,
    peakAtMs: today + 3_600_000,
    peakCompute: undefined,
    samples: 100,
    coverageSeconds: 3_600,
    limitMiB: 9728,
    device: 'mig',
    outOfMemory: false
  }
}

function find(
  peakMiB: number,
  pod: Parameters<typeof aPodRecord>[0],
  ending?: { exitCode: number; message?: string }
): readonly StepUp[] {
  const terminated = { ...ending, finishedAt: new Date(NOON_MS).toISOString() }
  const status = ending && {
    phase: 'Running',
    containerStatuses: [{ name: 'main', lastState: { terminated } }]
  }
  const record = aPodRecord({ ...pod, ...(status === undefined ? {} : { status }) })
  return withStepUps([], {
    container: 'main',
    pods: [record],
    knownPods: new PodMemory().update([record], () => undefined, NOON_MS),
    shareMiBOf: () => undefined,
    histories: [
      {
        key: {
          namespace: 'team-a',
          workload: { kind: 'Deployment', name: 'app' },
          container: 'main',
          gpuModel: MODEL,
          image: 'registry.example/app:1'
        },
        blocks: [aBlock(peakMiB)]
      }
    ],
    settings: defaultSettings
  })
}

t.test('words of the program count in any share', async (t) => {
  const found = find(5000, {}, { exitCode: 1, message: 'torch.OutOfMemoryError: CUDA out of memory' })

  t.strictSame(found, [
    { atMs: NOON_MS, failedMiB: 9728, evidence: 'message', image: 'registry.example/app:1' }
  ])
})

t.test('an exit at the ceiling counts in a share that we chose', async (t) => {
  t.match(find(9500, rewritten, { exitCode: 1 }), [
    { evidence: 'near-ceiling' },
    { evidence: 'exit-at-ceiling' }
  ])
  t.strictSame(find(9500, {}, { exitCode: 1 }), [])
})

for (const exitCode of [0, 137, 143]) {
  t.test(`exit code ${exitCode} alone is about something else`, async (t) => {
    t.strictSame(find(5000, rewritten, { exitCode }), [])
  })
}

t.test('use near the ceiling is a weaker sign, in a share that we chose', async (t) => {
  t.match(find(9500, rewritten), [{ evidence: 'near-ceiling', atMs: today + 3_600_000, failedMiB: 9728 }])
  t.strictSame(find(9500, {}), [])
  t.strictSame(find(5000, rewritten), [])
})
