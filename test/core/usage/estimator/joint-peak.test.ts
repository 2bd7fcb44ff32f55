import t from 'tap'
import {
  jointPeakMiB,
  replicasByMps,
  replicasByTimeSlicing
} from '../../../../src/core/usage/estimator/joint-peak.ts'

const card = { cardMiB: 24_000, headroomFactor: 1.2, contextMiB: 500, maxReplicas: 8 }

t.test('adds the largest peaks and a context each', async (t) => {
  t.equal(jointPeakMiB([1000, 5000, 4000], 2, card), 9000 * 1.2 + 1000)
})

t.test('replicas that were never seen count as the largest one', async (t) => {
  t.equal(jointPeakMiB([5000, 1000], 4, { headroomFactor: 1, contextMiB: 0 }), 16_000)
  t.equal(jointPeakMiB([], 2, { headroomFactor: 1, contextMiB: 10 }), 20)
})

const cases: readonly { name: string; peaksMiB: readonly number[]; slicing: number; mps: number }[] = [
  { name: 'nothing known', peaksMiB: [], slicing: 0, mps: 0 },
  { name: 'one that fills the card', peaksMiB: [24_000], slicing: 0, mps: 0 },
  { name: 'one large and small ones', peaksMiB: [9000, 2000, 2000, 2000], slicing: 4, mps: 2 },
  { name: 'small ones', peaksMiB: [100], slicing: 8, mps: 8 }
]
for (const { name, peaksMiB, slicing, mps } of cases) {
  t.test(`${name}: ${slicing} by time-slicing, ${mps} by MPS`, async (t) => {
    t.equal(replicasByTimeSlicing(peaksMiB, card), slicing)
    t.equal(replicasByMps(peaksMiB, card), mps)
  })
}

t.test('pods without use and contexts fit as often as allowed', async (t) => {
  t.equal(replicasByMps([0], { ...card, contextMiB: 0 }), 8)
})
