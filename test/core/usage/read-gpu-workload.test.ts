import fc from 'fast-check'
import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { readGpuWorkload, recordKey } from '../../../src/core/usage/read-gpu-workload.ts'
import type { ContainerUsage } from '../../../src/core/usage/usage.ts'
import { aGpuWorkload } from '../../build/usage.ts'

const history = { coverage: '13d22h' }

function containersOf(...containers: readonly JsonRecord[]): readonly ContainerUsage[] | undefined {
  return readGpuWorkload(aGpuWorkload({ containers }))?.usage.containers
}

t.test('reads a workload with all that is known of its containers', async (t) => {
  const raw = aGpuWorkload({
    name: 'raycluster-rc-gpu',
    namespace: 'team-b',
    resourceVersion: '7',
    kind: 'RayCluster',
    workload: 'rc',
    role: 'gpu-group',
    containers: [
      {
        name: 'ray-worker',
        peakMemory: '15100Mi',
        peakCompute: '42.5%',
        computeMetric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
        deviceMemory: '80Gi',
        evidence: 'SharedDevice',
        needed: '18120Mi',
        sizeFloor: '20000Mi',
        obstacle: 'UnderOneSeason',
        history
      }
    ]
  })

  t.strictSame(readGpuWorkload(raw), {
    namespace: 'team-b',
    name: 'raycluster-rc-gpu',
    workload: { kind: 'RayCluster', name: 'rc', role: 'gpu-group' },
    usage: {
      version: '7',
      containers: [
        {
          container: 'ray-worker',
          peakMiB: 15_100,
          peakCompute: { ratio: 0.425, metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE' },
          deviceMiB: 81_920,
          evidence: 'shared-device',
          coverageSeconds: 13 * 86_400 + 22 * 3600,
          neededMiB: 18_120,
          sizeFloorMiB: 20_000,
          obstacle: 'under-one-season'
        }
      ]
    }
  })
})

t.test('what is not said has a plain meaning', async (t) => {
  t.strictSame(containersOf({ name: 'main', peakMemory: '5200Mi', history }), [
    {
      container: 'main',
      peakMiB: 5200,
      peakCompute: undefined,
      deviceMiB: undefined,
      evidence: 'own',
      coverageSeconds: 1_202_400,
      neededMiB: undefined,
      sizeFloorMiB: undefined,
      obstacle: undefined
    }
  ])
  t.match(containersOf({ name: 'main', peakMemory: 1_048_576, peakCompute: '100%', history }), [
    { peakMiB: 1, peakCompute: { ratio: 1, metric: 'peak compute' } }
  ])
})

for (const [written, evidence] of [
  ['Own', 'own'],
  ['Censored', 'censored'],
  ['SelfSizing', 'self-sizing'],
  ['SharedDevice', 'shared-device']
]) {
  t.test(`evidence ${written} is ${evidence}`, async (t) => {
    t.match(containersOf({ name: 'main', peakMemory: '1Gi', evidence: written, history }), [{ evidence }])
  })
}

t.test('a container without a peak or without history is no evidence', async (t) => {
  const kept = { name: 'kept', peakMemory: '1Gi', history }

  t.strictSame(
    containersOf({ name: 'no-peak', history }, { name: 'no-history', peakMemory: '1Gi' }, kept)?.map(
      ({ container }) => container
    ),
    ['kept']
  )
})

t.test('a quantity that cannot be read is no peak and no device', async (t) => {
  t.strictSame(containersOf({ name: 'main', peakMemory: 'much', history }), [])
  t.match(containersOf({ name: 'main', peakMemory: '1Gi', deviceMemory: 'large', history }), [
    { deviceMiB: undefined }
  ])
})

t.test('a workload of which nothing was measured is known and empty', async (t) => {
  const { status: _status, ...raw } = aGpuWorkload()

  t.match(readGpuWorkload(raw), { name: 'deployment-app', usage: { version: '42', containers: [] } })
  t.match(readGpuWorkload({ ...raw, status: {} }), { usage: { containers: [] } })
})

t.test('an object from a file has neither namespace nor version', async (t) => {
  const { spec, status } = aGpuWorkload()

  const record = readGpuWorkload({ metadata: { name: 'w' }, spec, status })

  t.match(record, { namespace: '', name: 'w', usage: { version: '0' } })
  t.equal(record !== undefined && Object.hasOwn(record.workload, 'role'), false)
})

const wrong: readonly { name: string; raw: unknown }[] = [
  { name: 'nothing', raw: undefined },
  { name: 'another kind', raw: { ...aGpuWorkload(), kind: 'GpuPolicy' } },
  { name: 'another version', raw: { ...aGpuWorkload(), apiVersion: 'rightslice.dev/v9' } },
  { name: 'no name', raw: { ...aGpuWorkload(), metadata: {} } },
  { name: 'no workload', raw: { ...aGpuWorkload(), spec: {} } },
  { name: 'a workload without a name', raw: aGpuWorkload({ workload: '' }) },
  {
    name: 'an evidence that nobody knows',
    raw: aGpuWorkload({ containers: [{ name: 'main', evidence: 'Guess' }] })
  },
  {
    name: 'a percentage above 100',
    raw: aGpuWorkload({ containers: [{ name: 'main', peakCompute: '142%' }] })
  },
  {
    name: 'a percentage that is a number',
    raw: aGpuWorkload({ containers: [{ name: 'main', peakCompute: 42 }] })
  },
  {
    name: 'a duration that is none',
    raw: aGpuWorkload({ containers: [{ name: 'main', history: { coverage: 'long' } }] })
  }
]
for (const { name, raw } of wrong) {
  t.test(`is no workload: ${name}`, async (t) => t.equal(readGpuWorkload(raw), undefined))
}

t.test('the key names the namespace, the workload and its role', async (t) => {
  t.equal(recordKey('team-a', { kind: 'Deployment', name: 'web' }), 'team-a/Deployment/web')
  t.equal(recordKey('team-a', { kind: 'RayCluster', name: 'rc', role: 'gpu' }), 'team-a/RayCluster/rc/gpu')
})

t.test('reads any JSON without a throw', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      readGpuWorkload(a)
      readGpuWorkload({ metadata: { name: 'w' }, spec: a, status: b })
      readGpuWorkload({ ...aGpuWorkload(), status: { containers: [a, b] } })
    })
  )
})
