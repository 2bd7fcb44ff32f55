import t from 'tap'
import { withoutField } from '../../src/core/json.ts'
import { gpuPodReader, isSameGpuPod } from '../../src/gather/gpu-pod.ts'
import { aPod, type PodSpec } from '../build/pod.ts'

const uid = '0b0e7f0e-6f0c-4a53-9f43-2a3f0d7b1c11'

/** A pod of the cluster: it has a uid and a phase. */
function stored(spec: PodSpec, phase = 'Running'): unknown {
  const pod = aPod(spec)
  return { ...pod, metadata: { ...Object(pod['metadata']), uid }, status: { phase } }
}

const annotations = {
  'rightslice.dev/decision': 'FitsMigProfile',
  'rightslice.dev/explain': 'A sentence.',
  'rightslice.dev/do-not-move': 'true',
  'example.com/other': 'x'
}

t.test('keeps what capacity is counted by, and nothing else', async (t) => {
  const read = gpuPodReader()

  const pod = read(
    stored({
      name: 'llm-0',
      namespace: 'ml',
      nodeName: 'gpu-1',
      labels: { 'rightslice.dev/slice': 'mig-1g.10gb', app: 'llm' },
      annotations,
      containers: [{ limits: { 'nvidia.com/mig-1g.10gb': '1', cpu: '4' }, env: { A: 'b' } }]
    })
  )

  t.strictSame(pod, {
    uid,
    namespace: 'ml',
    name: 'llm-0',
    node: 'gpu-1',
    phase: 'Running',
    group: '',
    requests: { 'nvidia.com/mig-1g.10gb': 1 },
    marks: {
      'rightslice.dev/slice': 'mig-1g.10gb',
      'rightslice.dev/decision': 'FitsMigProfile',
      'rightslice.dev/do-not-move': 'true'
    }
  })
})

const cpuOnly = [{ limits: { cpu: '1' } }]
for (const { name, raw, held } of [
  { name: 'asks for GPUs', raw: stored({}), held: true },
  { name: 'is not bound yet', raw: stored({}, 'Pending'), held: true },
  { name: 'carries our marks alone', raw: stored({ containers: cpuOnly, annotations }), held: true },
  { name: 'is none of our business', raw: stored({ containers: cpuOnly }), held: false },
  { name: 'has succeeded', raw: stored({}, 'Succeeded'), held: false },
  { name: 'has failed', raw: stored({}, 'Failed'), held: false },
  { name: 'has no name', raw: withoutField(stored({}), 'metadata'), held: false },
  { name: 'is no pod at all', raw: null, held: false }
]) {
  t.test(`a pod that ${name} is ${held ? '' : 'not '}held`, async (t) => {
    t.equal(gpuPodReader()(raw) !== undefined, held)
  })
}

t.test('a pod that tells little is held with little', async (t) => {
  const pod = gpuPodReader()(withoutField(aPod({ namespace: 'ml' }), 'status'))

  t.match(pod, { uid: '', namespace: 'ml', node: '', phase: 'Unknown', marks: {} })
})

t.test('what pods have in common is there once', async (t) => {
  const read = gpuPodReader()

  const [first, second] = [read(stored({ name: 'a', annotations })), read(stored({ name: 'b', annotations }))]

  t.ok(first !== undefined && first.requests === second?.requests && first.marks === second?.marks)
})

t.test('two readings of a pod are the same when they say the same', async (t) => {
  const base = { name: 'a', nodeName: 'gpu-1', annotations }
  const pod = gpuPodReader()(stored(base))
  const others = [
    stored(base, 'Pending'),
    stored({ ...base, nodeName: 'gpu-2' }),
    stored({ ...base, annotations: { ...annotations, 'rightslice.dev/pin': 'whole-gpu' } }),
    stored({ ...base, containers: [{ limits: { 'nvidia.com/gpu': '2' } }] }),
    { ...Object(stored(base)), metadata: { ...Object(Object(stored(base)).metadata), uid: 'another' } }
  ]

  const again = gpuPodReader()(stored({ ...base, labels: { app: 'changed' } }))

  t.ok(pod !== undefined && again !== undefined && isSameGpuPod(pod, again))
  for (const raw of others) {
    const other = gpuPodReader()(raw)
    t.notOk(pod === undefined || other === undefined || isSameGpuPod(pod, other))
  }
})
