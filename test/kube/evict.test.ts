import t from 'tap'
import { podEvictor } from '../../src/kube/evict.ts'
import { KubeError } from '../../src/kube/kube-error.ts'
import { FakeObjects } from '../fakes/fake-objects.ts'

const never = new AbortController().signal
const pod = { namespace: 'ml', name: 'app-x', uid: 'u-1' }

function refusing(status: number): FakeObjects {
  const objects = new FakeObjects()
  objects.before = ({ method, path }) => {
    throw new KubeError({ method, path, status, message: 'no' })
  }
  return objects
}

t.test('a pod is removed by name and UID', async (t) => {
  const objects = new FakeObjects()

  t.equal(await podEvictor(objects).evict(pod, never), 'evicted')
  t.match(objects.seen, [
    {
      method: 'POST',
      path: '/api/v1/namespaces/ml/pods/app-x/eviction',
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace: 'ml', name: 'app-x' },
        deleteOptions: { preconditions: { uid: 'u-1' } }
      }
    }
  ])
})

for (const [status, want] of [
  [404, 'gone'],
  [409, 'gone'],
  [429, 'blocked']
] as const) {
  t.test(`status ${status} means ${want}`, async (t) => {
    t.equal(await podEvictor(refusing(status)).evict(pod, never), want)
  })
}

t.test('another refusal is a fault', async (t) => {
  await t.rejects(podEvictor(refusing(403)).evict(pod, never), { code: 'KUBE_REFUSED' })
  await t.rejects(podEvictor(refusing(500)).jobTriesLeft('ml', 'j', never), { code: 'KUBE_UNAVAILABLE' })
})

for (const { name, job, want } of [
  { name: 'no limit of its own', job: {}, want: 6 },
  { name: 'two of three lost', job: { spec: { backoffLimit: 3 }, status: { failed: 2 } }, want: 1 },
  { name: 'none to lose', job: { spec: { backoffLimit: 0 } }, want: 0 },
  { name: 'a limit for each index', job: { spec: { backoffLimit: 9, backoffLimitPerIndex: 0 } }, want: 0 }
]) {
  t.test(`tries of a Job: ${name}`, async (t) => {
    const objects = new FakeObjects()
    objects.put('/apis/batch/v1/namespaces/ml/jobs/j', { metadata: { name: 'j' }, ...job })

    t.equal(await podEvictor(objects).jobTriesLeft('ml', 'j', never), want)
  })
}

t.test('a Job that is gone has none', async (t) => {
  t.equal(await podEvictor(new FakeObjects()).jobTriesLeft('ml', 'j', never), 0)
})
