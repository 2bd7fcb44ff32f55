import t from 'tap'
import { isSpecChanged, isStatusChanged } from '../../../src/controllers/workloads/material-change.ts'
import {
  type WorkloadObject,
  type WorkloadStatus,
  workloadSpec
} from '../../../src/controllers/workloads/workload-object.ts'

const status: WorkloadStatus = {
  observedGeneration: 1,
  containers: [{ name: 'main', evidence: 'Own', peakMemory: '1Mi', history: { coverage: '1d', samples: 5 } }],
  scraped: '[1]'
}
const workload = { kind: 'RayCluster', name: 'a', role: 'gpu' }
const object: WorkloadObject = {
  namespace: 'ns',
  name: 'x',
  generation: 1,
  workload,
  apiVersion: 'ray.io/v1',
  status
}

for (const { what, now, want } of [
  { what: 'the same', now: {}, want: false },
  {
    what: 'more samples',
    now: {
      containers: [{ ...status.containers?.[0], name: 'main', history: { coverage: '1d', samples: 9 } }]
    },
    want: false
  },
  { what: 'other maxima to keep', now: { scraped: '[2]' }, want: false },
  { what: 'other pods to keep', now: { knownPods: '[2]' }, want: false },
  { what: 'another policy', now: { policy: 'p' }, want: true },
  { what: 'no containers', now: { containers: [] }, want: true }
]) {
  t.test(`${what} is ${want ? 'a' : 'no'} change`, async (t) => {
    t.equal(isStatusChanged(status, { ...status, ...now } as WorkloadStatus), want)
  })
}

t.test('maxima that have to be saved now are a change, where they differ', async (t) => {
  t.equal(isStatusChanged(status, { ...status, scraped: '[2]' }, true), true)
  t.equal(isStatusChanged(status, { ...status, knownPods: '[2]' }, true), true)
  t.equal(isStatusChanged(status, status, true), false)
})

t.test('what is not there is a change', async (t) => {
  t.equal(isStatusChanged(undefined, status), true)
  t.equal(isSpecChanged(undefined, workloadSpec(workload, undefined)), true)
})

t.test('a spec changes with the API version alone', async (t) => {
  t.equal(isSpecChanged(object, workloadSpec(workload, 'ray.io/v1')), false)
  t.equal(isSpecChanged(object, workloadSpec(workload, 'ray.io/v2')), true)
  t.strictSame(workloadSpec({ kind: 'Pod', name: 'p' }, ''), { workloadRef: { kind: 'Pod', name: 'p' } })
})
