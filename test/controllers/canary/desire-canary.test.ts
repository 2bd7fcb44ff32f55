import t from 'tap'
import { type CanaryScene, desireCanary } from '../../../src/controllers/canary/desire-canary.ts'
import type { PodRecord } from '../../../src/gather/pod-record.ts'
import { aPodRecord, NOON_MS } from '../rig.ts'

const HOUR_MS = 3_600_000
const ago = (ms: number): string => new Date(NOON_MS - ms).toISOString()

function onTrial(change: Partial<PodRecord> = {}): PodRecord {
  const record = aPodRecord({
    name: 'app-6c9d7f8b5d-a',
    ageMs: 3 * HOUR_MS,
    labels: { 'rightslice.dev/slice': 'mig-1g.10gb' },
    annotations: { 'rightslice.dev/decision': 'FitsMigProfile' },
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(3 * HOUR_MS - 20_000) }] }
  })
  return { ...record, ...change }
}

function scene(change: Partial<CanaryScene> = {}): CanaryScene {
  return {
    canary: { pods: 1, healthyForSeconds: 7200 },
    before: undefined,
    shared: [onTrial()],
    whole: [],
    reachedCeiling: false,
    nowMs: NOON_MS,
    ...change
  }
}

const share = 'mig-1g.10gb'
const young = onTrial({ readyMs: NOON_MS - HOUR_MS })
const failed = {
  share,
  state: 'Failed' as const,
  since: '2026-11-20T11:00:00Z',
  until: '2026-11-21T11:00:00Z'
}

const table: readonly { name: string; scene: Partial<CanaryScene>; want: object }[] = [
  {
    name: 'ready for long enough',
    scene: {},
    want: { share, state: 'Passed', since: '2026-11-20T12:00:00Z' }
  },
  { name: 'ready for too short a time', scene: { shared: [young] }, want: { state: 'Trial' } },
  { name: 'one of two is young', scene: { shared: [onTrial(), young] }, want: { state: 'Trial' } },
  { name: 'not ready yet', scene: { shared: [onTrial({ readyMs: undefined })] }, want: { state: 'Trial' } },
  {
    name: 'ended well',
    scene: { shared: [onTrial({ phase: 'Succeeded', readyMs: undefined })] },
    want: { state: 'Passed' }
  },
  {
    name: 'started anew',
    scene: { shared: [onTrial({ restarts: 2 })] },
    want: {
      state: 'Failed',
      until: '2026-11-21T12:00:00Z',
      message: 'app-6c9d7f8b5d-a was started anew 2 times'
    }
  },
  {
    name: 'out of GPU memory',
    scene: {
      shared: [
        onTrial({
          endings: [
            {
              container: 'main',
              exitCode: 1,
              reason: 'Error',
              message: 'CUDA out of memory',
              finishedMs: NOON_MS
            }
          ]
        })
      ]
    },
    want: { state: 'Failed', message: 'container main of app-6c9d7f8b5d-a ran out of GPU memory' }
  },
  { name: 'failed', scene: { shared: [onTrial({ phase: 'Failed' })] }, want: { state: 'Failed' } },
  { name: 'at the ceiling of its share', scene: { reachedCeiling: true }, want: { state: 'Failed' } },
  {
    name: 'far slower to become ready than with a whole GPU',
    scene: {
      shared: [onTrial({ startedMs: NOON_MS - 3 * HOUR_MS, readyMs: NOON_MS - 3 * HOUR_MS + 120_000 })],
      whole: [onTrial({ startedMs: NOON_MS - 9 * HOUR_MS, readyMs: NOON_MS - 9 * HOUR_MS + 20_000 })]
    },
    want: { state: 'Failed', message: 'app-6c9d7f8b5d-a was ready after 2m, with whole GPUs it takes 20s' }
  },
  { name: 'failed lately', scene: { before: failed }, want: failed },
  {
    name: 'failed long ago, and the pods of that time do not count',
    scene: {
      before: { ...failed, until: '2026-11-20T11:00:00Z' },
      shared: [onTrial({ restarts: 1 }), onTrial({ createdMs: NOON_MS, readyMs: NOON_MS })]
    },
    want: { state: 'Trial' }
  },
  {
    name: 'failed long ago, and of the pods of that time those that have ended do not count',
    scene: {
      before: { ...failed, until: ago(4 * HOUR_MS) },
      shared: [
        onTrial({
          createdMs: NOON_MS - 5 * HOUR_MS,
          endedMs: NOON_MS - 4 * HOUR_MS,
          phase: 'Failed',
          readyMs: undefined
        }),
        onTrial()
      ]
    },
    want: { state: 'Passed' }
  },
  {
    name: 'another share passed before',
    scene: {
      shared: [young],
      before: { share: 'mig-2g.20gb', state: 'Passed', since: '2026-11-20T11:00:00Z' }
    },
    want: { share, state: 'Trial' }
  }
]

for (const { name, scene: change, want } of table) {
  t.test(`pods on trial: ${name}`, async (t) => {
    t.match(desireCanary(scene(change)), want)
  })
}

t.test('what has passed or is on trial already is not said anew', async (t) => {
  const passed = { share, state: 'Passed' as const, since: '2026-11-20T11:00:00Z' }
  const trial = { ...passed, state: 'Trial' as const }

  t.equal(desireCanary(scene({ before: passed, shared: [onTrial({ restarts: 3 })] })), passed)
  t.equal(desireCanary(scene({ before: trial, shared: [young] })), trial)
  t.equal(desireCanary(scene({ before: trial, shared: [] })), trial)
})

t.test('a trial after one that failed knows which pods do not count for as long as it goes on', async (t) => {
  const until = ago(HOUR_MS)
  const shared = [onTrial({ restarts: 1 }), onTrial({ createdMs: NOON_MS, readyMs: NOON_MS })]

  const begun = desireCanary(scene({ before: { ...failed, until }, shared }))
  const later = desireCanary(scene({ before: begun, shared, nowMs: NOON_MS + 60_000 }))

  t.strictSame(begun, { share, state: 'Trial', since: '2026-11-20T12:00:00Z', until })
  t.equal(later, begun)
})
