import t from 'tap'
import { FleetLearning } from '../../../src/controllers/workloads/fleet-learning.ts'
import type { Subject } from '../../../src/controllers/workloads/subject.ts'
import { DAY_MS, MODEL, NOON_MS } from '../rig.ts'

const today = Math.floor(NOON_MS / DAY_MS) * DAY_MS

/** A workload that grew by a tenth each day. */
function aSubject(index: number): Subject {
  const workload = { kind: 'Deployment', name: `w${index}` }
  const blocks = Array.from({ length: 20 }, (_, day) => ({
    dayMs: today - (20 - day) * DAY_MS,
    pod: 'p',
    peakMiB: 1000 + index + 100 * day,
    peakAtMs: undefined,
    peakCompute: undefined,
    samples: 2_880,
    coverageSeconds: 86_400,
    limitMiB: 81_559,
    device: 'whole' as const,
    outOfMemory: false
  }))
  const key = { namespace: 'ns', workload, container: 'main', gpuModel: MODEL, image: '' }
  return {
    key: `ns/Deployment/w${index}`,
    namespace: 'ns',
    workload,
    pods: [],
    ended: [],
    histories: [{ key, blocks }],
    bounds: [],
    notes: [],
    object: undefined,
    duplicates: []
  }
}

t.test(
  'a fleet that grows teaches more than the policy asks for, once a day, and lets others run',
  async (t) => {
    const learning = new FleetLearning()
    const subjects = Array.from({ length: 60 }, (_, index) => aSubject(index))
    let breaths = 0
    const breathe = async (): Promise<void> => {
      breaths += 1
    }

    await learning.update(subjects, { nowMs: NOON_MS, isComplete: true }, breathe)
    const learnt = learning.for('Deployment')
    await learning.update([], { nowMs: NOON_MS + 3_600_000, isComplete: true }, breathe)

    t.equal(breaths, 3)
    t.ok(learnt?.rungs.some(({ factor = 0 }) => factor > 1.2))
    t.equal(learning.for('Deployment'), learnt, 'nothing new on the same day')
    t.equal(learning.for('Job'), undefined)
    await learning.update([], { nowMs: NOON_MS + DAY_MS, isComplete: true }, breathe)
    t.equal(learning.for('Deployment'), undefined)
  }
)

t.test('a reading that is not whole teaches who knows nothing, until the first whole one', async (t) => {
  const learning = new FleetLearning()
  const subjects = Array.from({ length: 60 }, (_, index) => aSubject(index))
  const breathe = (): Promise<void> => Promise.resolve()
  const partial = { nowMs: NOON_MS, isComplete: false }

  await learning.update(subjects, partial, breathe)
  const first = learning.for('Deployment')
  await learning.update([], { ...partial, nowMs: NOON_MS + DAY_MS }, breathe)
  const kept = learning.for('Deployment')
  await learning.update(subjects, { nowMs: NOON_MS, isComplete: true }, breathe)
  const whole = learning.for('Deployment')
  await learning.update([], { ...partial, nowMs: NOON_MS + DAY_MS }, breathe)

  t.ok(first?.rungs.some(({ factor = 0 }) => factor > 1.2))
  t.equal(kept, first)
  t.not(whole, first)
  t.equal(learning.for('Deployment'), whole)
})
