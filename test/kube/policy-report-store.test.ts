import t from 'tap'
import { policyReportStore } from '../../src/kube/policy-report-store.ts'
import type { ReportGroup } from '../../src/ports/policy-report-store.ts'
import { aReport, policyReportStoreContract } from '../contract/policy-report-store.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { FakeObjects, failing } from '../fakes/fake-objects.ts'

const never = new AbortController().signal
const apis = {
  'openreports.io': { path: '/apis/openreports.io/v1alpha1', plural: 'reports' },
  'wgpolicyk8s.io': { path: '/apis/wgpolicyk8s.io/v1alpha2', plural: 'policyreports' }
} as const

function setUp(groups: readonly ReportGroup[]) {
  const objects = new FakeObjects()
  for (const group of groups) {
    const { path, plural } = apis[group]
    objects.put(path, { resources: [{ name: plural }] })
  }
  const store = policyReportStore({ connection: objects, clock: new FakeClock(), random: () => 1 })
  const pathOf = (group: ReportGroup, namespace: string): string =>
    `${apis[group].path}/namespaces/${namespace}/${apis[group].plural}/rightslice`
  return { objects, store, pathOf }
}

t.test('the contract of a PolicyReportStore', async (t) => {
  policyReportStoreContract(t, async (_t, groups) => {
    const { objects, store, pathOf } = setUp(groups)
    return { store, read: (group, namespace) => objects.at(pathOf(group, namespace)) }
  })
})

t.test('a group that serves no reports is none', async (t) => {
  const { objects, store } = setUp([])
  objects.put(apis['openreports.io'].path, { resources: [{ name: 'clusterreports' }] })

  t.strictSame(await store.served(never), [])
})

t.test('a refusal to tell what is served is no absence', async (t) => {
  const { objects, store } = setUp([])
  objects.before = failing(() => true, [{ status: 403 }])

  await t.rejects(store.served(never), { code: 'KUBE_REFUSED' })
})

t.test('it is applied under our name and label, and a report of somebody else is not ours', async (t) => {
  const { objects, store, pathOf } = setUp(['openreports.io'])
  objects.put(pathOf('openreports.io', 'team-b'), { metadata: { name: 'rightslice', namespace: 'team-b' } })

  await store.apply({ group: 'openreports.io', namespace: 'team-a' }, aReport, never)

  t.match(objects.seen.at(-1), {
    method: 'PATCH',
    path: pathOf('openreports.io', 'team-a'),
    query: { fieldManager: 'rightslice-controller', force: true },
    body: {
      apiVersion: 'openreports.io/v1alpha1',
      kind: 'Report',
      metadata: { name: 'rightslice', labels: { 'app.kubernetes.io/managed-by': 'rightslice' } }
    }
  })
  t.strictSame(await store.namespaces('openreports.io', never), ['team-a'])
})
