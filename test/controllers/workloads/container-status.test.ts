import t from 'tap'
import { mebi, onlyWorse, printCoverage } from '../../../src/controllers/workloads/container-status.ts'
import type { ContainerStatus } from '../../../src/controllers/workloads/workload-object.ts'

for (const { days, want } of [
  { days: 0, want: '0s' },
  { days: 0.3, want: '7h' },
  { days: 2.4, want: '2d6h' },
  { days: 6.99, want: '6d18h' },
  { days: 13.92, want: '13d' },
  { days: 7, want: '7d' }
]) {
  t.test(`${days} days are told as ${want}`, async (t) => {
    t.equal(printCoverage(days), want)
  })
}

t.test('memory is told in whole MiB, rounded up', async (t) => {
  t.equal(mebi(5200.00000001), '5200Mi')
  t.equal(mebi(5200.1), '5201Mi')
})

const before: ContainerStatus = {
  name: 'main',
  peakMemory: '5200Mi',
  peakMemoryAt: '2026-11-19T06:00:00Z',
  peakCompute: '21%',
  deviceMemory: '81559Mi',
  evidence: 'Own',
  history: { coverage: '13d', samples: 9 },
  needed: '6240Mi',
  sizing: [{ model: 'm', heldMiB: 9728 }]
}

t.test('lower numbers of a reading that is not whole change nothing', async (t) => {
  const now: ContainerStatus = {
    ...before,
    peakMemory: '100Mi',
    peakCompute: '3%',
    needed: '150Mi',
    obstacle: 'UnderOneSeason',
    history: { coverage: '1d' }
  }

  t.strictSame(onlyWorse(before, now), before)
})

t.test('the metric goes with the peak of compute that it was read from', async (t) => {
  const known: ContainerStatus = { ...before, computeMetric: 'engine' }

  const higher = onlyWorse(known, { ...before, peakCompute: '30%', computeMetric: 'sm' })
  const lower = onlyWorse(known, { ...before, peakCompute: '3%', computeMetric: 'sm' })

  t.match(higher, { peakCompute: '30%', computeMetric: 'sm' })
  t.match(lower, { peakCompute: '21%', computeMetric: 'engine' })
})

t.test('higher ones count, and so does a peak that was cut off', async (t) => {
  const now: ContainerStatus = {
    ...before,
    peakMemory: '9700Mi',
    peakMemoryAt: '2026-11-20T06:00:00Z',
    deviceMemory: '9728Mi',
    needed: '11640Mi',
    sizeFloor: '9729Mi',
    evidence: 'Censored',
    obstacle: 'Censored'
  }

  t.strictSame(onlyWorse(before, now), { ...now, history: before.history })
})
