import t from 'tap'
import { parse } from 'yaml'
import { type ExemptRequest, exemptionYaml } from '../../src/cli/exempt.ts'
import { readExemption } from '../../src/core/policy/exemption.ts'

const NOW_MS = Date.parse('2026-11-29T12:00:00.123Z')
const usual: ExemptRequest = {
  workload: 'deploy/embedder',
  namespace: 'search',
  rules: ['Rewrite'],
  lasts: '10d',
  reason: 'load test'
}

t.test('prints an object that the engine reads', async (t) => {
  const object: unknown = parse(exemptionYaml(usual, NOW_MS))

  t.strictSame(object, {
    apiVersion: 'rightslice.dev/v1alpha1',
    kind: 'GpuExemption',
    metadata: { name: 'deployment-embedder', namespace: 'search' },
    spec: {
      rules: ['Rewrite'],
      workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'embedder' },
      expires: '2026-12-09T12:00:00Z',
      reason: 'load test'
    }
  })
  const metadata = { ...Object(object).metadata, creationTimestamp: '2026-11-29T12:00:00Z' }
  t.match(readExemption({ ...Object(object), metadata }), { rules: ['Rewrite'] })
})

for (const [workload, kind, name] of [
  ['StatefulSets/db', 'StatefulSet', 'db'],
  ['cj/nightly', 'CronJob', 'nightly'],
  ['ds/agent', 'DaemonSet', 'agent'],
  ['RayCluster/rc', 'RayCluster', 'rc']
])
  t.test(`${workload} is ${kind} ${name}`, async (t) => {
    t.match(parse(exemptionYaml({ ...usual, workload: workload ?? '' }, NOW_MS)), {
      spec: { workloadRef: { kind, name } }
    })
  })

t.test('codes are read in any case, each once, and the name can be given', async (t) => {
  const rules = ['privilegedwithgpu', 'PrivilegedWithGpu', 'NodeNameSet']

  t.match(parse(exemptionYaml({ ...usual, rules, name: 'mine' }, NOW_MS)), {
    metadata: { name: 'mine' },
    spec: { rules: ['PrivilegedWithGpu', 'NodeNameSet'] }
  })
})

for (const [change, message] of [
  [{ workload: 'embedder' }, /KIND\/NAME/],
  [{ workload: 'deploy/a/b' }, /KIND\/NAME/],
  [{ rules: ['Everything'] }, /--rule Everything: known are Rewrite, /],
  [{ lasts: 'long' }, /--for long/],
  [{ lasts: '0d' }, /--for 0d/],
  [{ reason: '' }, /spec.reason/]
] as const)
  t.test(`${JSON.stringify(change)} is refused`, async (t) => {
    t.throws(() => exemptionYaml({ ...usual, ...change }, NOW_MS), { code: 'USAGE_WRONG', message })
  })
