import t from 'tap'
import { jointPeakMiB, replicasByTimeSlicing } from '../../../../src/core/usage/estimator/joint-peak.ts'

const card = { cardMiB: 24_000, headroomFactor: 1.2, contextMiB: 500, maxReplicas: 8 }

t.test('adds the largest peaks and a context each', async (t) => {
  t.equal(jointPeakMiB([1000, 5000, 4000], 2, card), 9000 * 1.2 + 1000)
})

t.test('replicas that were never seen count as the largest one', async (t) => {
  t.equal(jointPeakMiB([5000, 1000], 4, { headroomFactor: 1, contextMiB: 0 }), 16_000)
  t.equal(jointPeakMiB([], 2, { headroomFactor: 1, contextMiB: 10 }), 20)
})

const cases: readonly { name: string; peaksMiB: readonly number[]; replicas: number }[] = [
  { name: 'nothing known', peaksMiB: [], replicas: 0 },
  { name: 'one that fills the card', peaksMiB: [24_000], replicas: 0 },
  { name: 'one large and small ones', peaksMiB: [9000, 2000, 2000, 2000], replicas: 4 },
  { name: 'small ones', peaksMiB: [100], replicas: 8 }
]
for (const { name, peaksMiB, replicas } of cases) {
  t.test(`${name}: ${replicas} by time-slicing`, async (t) => {
    t.equal(replicasByTimeSlicing(peaksMiB, card), replicas)
  })
}
