import t from 'tap'
import { fieldOf } from '../../src/core/json.ts'
import { rulesConfigMap } from '../../src/kube/rules-config-map.ts'
import { FakeObjects, failing } from '../fakes/fake-objects.ts'

const path = '/api/v1/namespaces/rightslice-system/configmaps/rightslice-rules'
const never = new AbortController().signal

t.test('the table is what the ConfigMap holds, whatever stood there', async (t) => {
  const objects = new FakeObjects()
  const rules = rulesConfigMap(objects, 'rightslice-system')

  await rules.write({ 'default.NodeNameSet': 'Enforce' }, never)
  await rules.write({ 'default.NodeNameSet': 'Warn' }, never)

  t.strictSame(
    objects.seen.map(({ method, path: own, headers }) => `${method} ${own} ${headers?.['content-type']}`),
    ['json-patch+json', 'apply-patch+yaml', 'json-patch+json'].map(
      (type) => `PATCH ${path} application/${type}`
    )
  )
  t.strictSame(fieldOf(objects.at(path), 'data'), { 'default.NodeNameSet': 'Warn' })
  t.equal(objects.seen[0]?.timeoutMs, 10_000)
})

t.test('a refusal is thrown', async (t) => {
  const objects = new FakeObjects()
  objects.before = failing(() => true, [{ status: 403 }])

  await t.rejects(rulesConfigMap(objects, 'rightslice-system').write({}, never), { code: 'KUBE_REFUSED' })
})
