import t from 'tap'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { workloadKey, workloadOf } from '../../../src/core/pod/workload.ts'
import { templatedPodsOf } from '../../../src/core/pod/workload-templates.ts'

const template = (name: string) => ({ metadata: { labels: { own: 'x' } }, spec: { containers: [{ name }] } })

/** Workload and containers of every pod that an object would make. */
function madeBy(kind: string, spec: object): readonly string[] {
  return templatedPodsOf({ apiVersion: 'x/v1', kind, metadata: { name: 'app', namespace: 'a' }, spec }).map(
    ({ pod }) => {
      const view = readPod(pod, 'a')
      return `${workloadKey(workloadOf(view, () => undefined))}: ${view.containers.map(({ name }) => name).join(' ')}`
    }
  )
}

const ray = {
  headGroupSpec: { template: template('head') },
  workerGroupSpecs: [{ groupName: 'gpu', template: template('worker') }, { template: template('other') }]
}

for (const { kind, spec, want } of [
  { kind: 'Deployment', spec: { template: template('c') }, want: ['Deployment/app: c'] },
  { kind: 'CronJob', spec: { jobTemplate: { spec: { template: template('c') } } }, want: ['CronJob/app: c'] },
  {
    kind: 'RayCluster',
    spec: ray,
    want: ['RayCluster/app/headgroup: head', 'RayCluster/app/gpu: worker', 'RayCluster/app: other']
  },
  {
    kind: 'RayJob',
    spec: { rayClusterSpec: ray },
    want: ['RayJob/app/headgroup: head', 'RayJob/app/gpu: worker', 'RayJob/app: other']
  },
  {
    kind: 'PyTorchJob',
    spec: {
      pytorchReplicaSpecs: { Master: { template: template('m') }, Worker: { template: template('w') } }
    },
    want: ['PyTorchJob/app/master: m', 'PyTorchJob/app/worker: w']
  },
  {
    kind: 'MPIJob',
    spec: { mpiReplicaSpecs: { Launcher: { template: template('l') } } },
    want: ['MPIJob/app/launcher: l']
  },
  {
    kind: 'JobSet',
    spec: { replicatedJobs: [{ name: 'w', template: { spec: { template: template('c') } } }] },
    want: ['JobSet/app/w: c']
  },
  {
    kind: 'LeaderWorkerSet',
    spec: { leaderWorkerTemplate: { leaderTemplate: template('l'), workerTemplate: template('w') } },
    want: ['LeaderWorkerSet/app/leader: l', 'LeaderWorkerSet/app/worker: w']
  },
  {
    kind: 'InferenceService',
    spec: {
      predictor: { model: { image: 'x' }, containers: [{ name: 'side' }] },
      transformer: { containers: [{ name: 't' }] }
    },
    want: ['InferenceService/app/predictor: side kserve-container', 'InferenceService/app/transformer: t']
  },
  { kind: 'Notebook', spec: { template: template('nb') }, want: ['Notebook/app: nb'] },
  { kind: 'Notebook', spec: { template: 7 }, want: [] },
  { kind: 'PyTorchJob', spec: { pytorchReplicaSpecs: [] }, want: [] },
  { kind: 'Unknown', spec: {}, want: [] },
  { kind: 'constructor', spec: {}, want: [] }
]) {
  t.test(`[POD9] the pods of a ${kind} with ${Object.keys(spec).join(', ')}`, async (t) => {
    t.strictSame(madeBy(kind, spec), want)
  })
}

t.test('labels of the template stay, and what is no object makes no pod', async (t) => {
  const [made] = templatedPodsOf({
    kind: 'Notebook',
    metadata: { generateName: 'nb-' },
    spec: { template: template('c') }
  })

  t.match(made, {
    kind: 'Notebook',
    name: 'nb-',
    pod: { metadata: { labels: { own: 'x', 'notebook-name': 'nb-' } } }
  })
  t.strictSame(templatedPodsOf(null), [])
})

t.test('[POD15] of very many templates the first 1,000 are read', async (t) => {
  const workerGroupSpecs = Array.from({ length: 1200 }, (_, nth) => ({
    groupName: `g-${nth}`,
    template: template('c')
  }))

  const made = madeBy('RayCluster', { headGroupSpec: { template: template('head') }, workerGroupSpecs })

  t.equal(made.length, 1000)
  t.equal(made.at(-1), 'RayCluster/app/g-998: c')
})

t.test('what a workload says of Kueue is looked for once, however many templates it has', async (t) => {
  let reads = 0
  const metadata = {
    name: 'app',
    get annotations() {
      reads += 1
      return { 'kueue.x-k8s.io/queue-name': 'q' }
    }
  }
  const readsFor = (count: number): number => {
    reads = 0
    const workerGroupSpecs = Array.from({ length: count }, () => ({ template: template('c') }))
    const made = templatedPodsOf({ kind: 'RayCluster', metadata, spec: { workerGroupSpecs } })
    t.ok(made.every(({ ownerMark }) => ownerMark === 'kueue.x-k8s.io/queue-name'))
    return reads
  }

  t.equal(readsFor(200), readsFor(100))
})
