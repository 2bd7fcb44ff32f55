import t from 'tap'
import { templatedPodOf, templateKinds } from '../../../src/core/pod/pod-template.ts'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { workloadKey, workloadOf } from '../../../src/core/pod/workload.ts'
import { aPod } from '../../build/pod.ts'

const template = { metadata: { labels: { app: 'web' }, name: 'ignored' }, spec: aPod().spec }

function aWorkload(kind: string): Record<string, unknown> {
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template }
  return { apiVersion: 'apps/v1', kind, metadata: { name: 'web', namespace: 'team-b' }, spec }
}

for (const kind of templateKinds.filter((name) => name !== 'Pod')) {
  t.test(`the pod that a ${kind} makes belongs to it`, async (t) => {
    const made = templatedPodOf(aWorkload(kind))
    const view = readPod(made?.pod, 'team-b')

    t.match(made, { kind, name: 'web', namespace: 'team-b', pod: { apiVersion: 'v1', kind: 'Pod' } })
    t.equal(workloadKey(workloadOf(view, () => undefined)), `${kind}/web`)
    t.strictSame({ ...view.labels }, { app: 'web' })
    t.equal(view.generateName, 'web-')
    t.strictSame(view.containers, readPod(aPod(), 'team-b').containers)
  })
}

t.test('a pod is itself', async (t) => {
  const pod = aPod({ name: 'lab', namespace: 'team-c' })

  t.strictSame(templatedPodOf(pod), { pod, kind: 'Pod', name: 'lab', namespace: 'team-c' })
})

t.test('a workload without a name goes by what its name will begin with', async (t) => {
  const { metadata: _metadata, ...job } = aWorkload('Job')

  t.match(templatedPodOf({ ...job, metadata: { generateName: 'train-' } }), { name: 'train-' })
  t.match(templatedPodOf(job), { name: '', namespace: undefined })
})

t.test('a template without metadata makes a pod as well', async (t) => {
  const made = templatedPodOf({ kind: 'Job', metadata: { name: 'train' }, spec: { template: { spec: {} } } })

  t.match(made?.pod, {
    metadata: { generateName: 'train-', ownerReferences: [{ kind: 'Job', apiVersion: '' }] }
  })
})

const none: readonly { name: string; raw: unknown }[] = [
  { name: 'nothing', raw: undefined },
  { name: 'a list', raw: [{ kind: 'Pod' }] },
  { name: 'no kind', raw: { spec: { template } } },
  { name: 'another kind', raw: { kind: 'Service', spec: { template } } },
  { name: 'the name of an inherited field', raw: { kind: 'constructor', spec: { template } } },
  { name: 'no template', raw: { kind: 'Deployment', spec: {} } },
  { name: 'a template elsewhere', raw: { kind: 'CronJob', spec: { template } } }
]
for (const { name, raw } of none) {
  t.test(`makes no pod: ${name}`, async (t) => t.equal(templatedPodOf(raw), undefined))
}
