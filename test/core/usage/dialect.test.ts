import t from 'tap'
import {
  chooseOwnerFamily,
  findMetricDialect,
  metricDialects,
  ownerFamilies,
  readLabelNames
} from '../../../src/core/usage/dialect.ts'

t.test('the first family that occurs tells the owner', (t) => {
  const cases: readonly (readonly [names: readonly string[], family: string | undefined])[] = [
    [['namespace', 'pod', 'container', 'exported_namespace', 'exported_pod'], 'exported'],
    [['namespace', 'pod', 'pod_namespace', 'pod_name'], 'old'],
    [['namespace_name', 'pod_name', 'container_name'], 'cloud'],
    [['namespace', 'pod', 'podname'], 'plain'],
    [['podname', 'namespace'], undefined],
    [['exported_pod', 'pod', 'namespace'], 'plain'],
    [[], undefined]
  ]
  for (const [names, family] of cases) t.equal(chooseOwnerFamily(new Set(names))?.name, family, names.join())
  t.end()
})

t.test("the user's own labels stand in place of the known ones", (t) => {
  const own = { name: 'own', namespace: 'k8s_ns', pod: 'k8s_pod', container: 'k8s_container' }

  t.equal(chooseOwnerFamily(new Set(['k8s_ns', 'k8s_pod', 'pod', 'namespace']), [own]), own)
  t.equal(chooseOwnerFamily(new Set(['pod', 'namespace']), [own]), undefined)
  t.end()
})

t.test('every name is one metric, and GPU_UTIL is none', (t) => {
  const names = metricDialects.map(({ name }) => name)

  t.equal(new Set(names).size, names.length)
  t.notOk(names.some((name) => /GPU_UTIL/i.test(name)))
  for (const { metric, unit } of metricDialects) t.equal(unit, metric === 'memory' ? 'MiB' : 'ratio')
  t.end()
})

t.test("finds a metric by its name, the user's own first", (t) => {
  t.strictSame(findMetricDialect('DCGM_FI_DEV_FB_USED')?.metric, 'memory')
  t.strictSame(
    findMetricDialect('DCGM_FI_DEV_FB_USED', [
      { name: 'DCGM_FI_DEV_FB_USED', metric: 'memory', unit: 'bytes' }
    ])?.unit,
    'bytes'
  )
  t.equal(findMetricDialect('DCGM_FI_DEV_GPU_UTIL'), undefined)
  t.end()
})

t.test('the labels that are read hold those of all families, and not podname', (t) => {
  for (const { namespace, pod, container } of ownerFamilies) {
    for (const name of [namespace, pod, container]) t.ok(readLabelNames.includes(name))
  }
  t.notOk(readLabelNames.includes('podname'))
  t.equal(new Set(readLabelNames).size, readLabelNames.length)
  t.end()
})
