import t from 'tap'
import { objectNameOf } from '../../../src/controllers/workloads/object-name.ts'

const free = (): boolean => false

for (const { workload, want } of [
  { workload: { kind: 'Deployment', name: 'reranker' }, want: 'deployment-reranker' },
  { workload: { kind: 'RayCluster', name: 'train', role: 'gpu-group' }, want: 'raycluster-train-gpu-group' },
  { workload: { kind: 'StatefulSet', name: 'a.b' }, want: 'statefulset-a.b' }
]) {
  t.test(`${workload.kind} ${workload.name} is ${want}`, async (t) => {
    t.equal(objectNameOf(workload, free), want)
  })
}

const dnsName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

for (const [what, workload] of Object.entries({
  'a role with letters that no name has': { kind: 'WorkflowTemplate', name: 'w', role: 'Fit(2:seed)/x' },
  'a role that is capitalised': { kind: 'PyTorchJob', name: 'j', role: 'Worker' },
  'a name that is too long': { kind: 'Deployment', name: 'a'.repeat(250) },
  'a name that would be cut at a dot': { kind: 'Deployment', name: `${'a'.repeat(232)}.${'b'.repeat(17)}` },
  'dots and dashes at odd places': { kind: 'AirflowTask', name: '.-dag.-task_1-.' },
  'nothing but strange letters': { kind: 'Straße', name: 'ß' }
})) {
  t.test(`${what} is a name with digits that follow from it`, async (t) => {
    const name = objectNameOf(workload, free)

    t.match(name, dnsName)
    t.match(name, /-[0-9a-f]{8}$/)
    t.ok(name.length <= 253)
    t.equal(objectNameOf(workload, free), name)
  })
}

t.test('a name that is taken is made different', async (t) => {
  const one = { kind: 'Deployment', name: 'a-b' }
  const other = { kind: 'Deployment', name: 'a', role: 'b' }
  const taken = (name: string): boolean => name === 'deployment-a-b'

  t.equal(objectNameOf(one, free), objectNameOf(other, free))
  t.match(objectNameOf(other, taken), /^deployment-a-b-[0-9a-f]{8}$/)
  t.not(objectNameOf(one, taken), objectNameOf(other, taken))
})

t.test('roles that differ in case alone have two names', async (t) => {
  const name = (role: string): string => objectNameOf({ kind: 'PyTorchJob', name: 'j', role }, free)

  t.equal(new Set([name('worker'), name('Worker'), name('WORKER')]).size, 3)
})
