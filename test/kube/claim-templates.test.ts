import t from 'tap'
import { claimTemplateSpec } from '../../src/core/cluster/devices/claim-template.ts'
import { claimTemplateWriter } from '../../src/kube/claim-templates.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { FakeObjects } from '../fakes/fake-objects.ts'

const never = new AbortController().signal
const asks = { profile: '2g.20gb', deviceClass: 'mig.nvidia.com' }
const template = { namespace: 'team-a', name: 'rightslice-2g-20gb' }
const path = '/apis/resource.k8s.io/v1/namespaces/team-a/resourceclaimtemplates/rightslice-2g-20gb'

function setUp() {
  const objects = new FakeObjects()
  return {
    objects,
    writer: claimTemplateWriter({ connection: objects, clock: new FakeClock(), random: () => 1 })
  }
}

t.test('applies the template of a profile under its name, with our label', async (t) => {
  const { objects, writer } = setUp()

  await writer.apply('team-a', asks, never)

  t.match(objects.seen, [
    {
      method: 'PATCH',
      path,
      query: { fieldManager: 'rightslice-controller', force: true },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaimTemplate',
        metadata: {
          ...template,
          labels: { 'app.kubernetes.io/managed-by': 'rightslice', 'rightslice.dev/slice': 'mig-2g.20gb' }
        },
        spec: claimTemplateSpec(asks)
      }
    }
  ])
})

t.test('retires and removes it; one that is gone is no fault', async (t) => {
  const { objects, writer } = setUp()
  await writer.retire(template, never)
  await writer.remove(template, never)
  await writer.apply('team-a', asks, never)

  await writer.retire(template, never)
  t.match(objects.at(path), {
    metadata: { labels: { 'rightslice.dev/slice': 'retired' } },
    spec: claimTemplateSpec(asks)
  })
  await writer.remove(template, never)
  t.equal(objects.at(path), undefined)
})
