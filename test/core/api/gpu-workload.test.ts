import { readFile } from 'node:fs/promises'
import t from 'tap'
import { parse } from 'yaml'
import { GpuWorkload } from '../../../src/core/api/gpu-workload.ts'
import { wrongWorkloads } from '../../fixtures/policies/wrong.ts'

t.test('reads the sample and fills in that evidence is the own', async (t) => {
  const text = await readFile(
    new URL('../../fixtures/policies/deployment-reranker.yaml', import.meta.url),
    'utf8'
  )

  const { spec, status } = GpuWorkload.parse(parse(text))

  t.strictSame(spec.workloadRef, { apiVersion: 'apps/v1', kind: 'Deployment', name: 'reranker' })
  t.match(status?.containers?.[0], {
    name: 'server',
    peakMemory: '3686Mi',
    peakCompute: '21%',
    evidence: 'Own'
  })
})

t.test('drops keys that a newer controller may write', async (t) => {
  const object = {
    metadata: { name: 'a', uid: 'u' },
    spec: { workloadRef: { kind: 'Job', name: 'a' } },
    status: { trend: 'up', containers: [{ name: 'main', peakPower: '300W' }] }
  }

  const { metadata, status } = GpuWorkload.parse(object)

  t.strictSame(metadata, { name: 'a', uid: 'u' })
  t.strictSame(status, { containers: [{ name: 'main', evidence: 'Own' }] })
})

for (const { name, body } of wrongWorkloads.filter(({ name }) => name !== 'unknown field')) {
  t.test(`refuses a workload with ${name}`, async (t) => {
    t.notOk(GpuWorkload.safeParse({ metadata: { name: 'a' }, ...body }).success)
  })
}
