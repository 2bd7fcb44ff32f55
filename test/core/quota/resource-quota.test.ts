import t from 'tap'
import { readResourceQuota } from '../../../src/core/quota/resource-quota.ts'
import { aRawQuota } from '../../build/quota.ts'

const GPU = 'requests.nvidia.com/gpu'

t.test('[QUOTA1] of a quota extended resources and claims are kept, with limit and use', async (t) => {
  const raw = aRawQuota({
    counts: {
      cpu: ['10', '1'],
      'requests.memory': ['1Gi', '0'],
      'count/pods': ['5', '5'],
      [GPU]: ['2k', '1e1'],
      'requests.nvidia.com/mig-1g.10gb': ['3', '1'],
      'count/resourceclaims.resource.k8s.io': ['4', '2'],
      'gpu.nvidia.com.deviceclass.resource.k8s.io/devices': ['6', '0']
    },
    scopes: ['NotTerminating'],
    selector: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }]
  })

  t.strictSame(readResourceQuota(raw), {
    namespace: 'team-a',
    name: 'gpu',
    limits: {
      'count/resourceclaims.resource.k8s.io': { hard: 4, used: 2 },
      'gpu.nvidia.com.deviceclass.resource.k8s.io/devices': { hard: 6, used: 0 },
      [GPU]: { hard: 2000, used: 10 },
      'requests.nvidia.com/mig-1g.10gb': { hard: 3, used: 1 }
    },
    scopes: [
      { name: 'NotTerminating', operator: 'Exists', values: [] },
      { name: 'PriorityClass', operator: 'In', values: ['high'] }
    ]
  })
})

for (const { name, raw } of [
  { name: 'a quota on CPU alone', raw: aRawQuota({ counts: { cpu: ['1', '0'] } }) },
  { name: 'an object without a name', raw: { ...aRawQuota(), metadata: { namespace: 'team-a' } } },
  { name: 'an object without a namespace', raw: { ...aRawQuota(), metadata: { name: 'gpu' } } },
  { name: 'nothing', raw: null },
  { name: 'a text', raw: 'quota' }
]) {
  t.test(`[QUOTA1] ${name} bounds nobody here`, async (t) => {
    t.equal(readResourceQuota(raw), undefined)
  })
}

for (const { name, spec, status, want } of [
  {
    name: 'a limit that was just lowered counts lowered',
    spec: '1',
    status: { hard: { [GPU]: '4' }, used: { [GPU]: '2' } },
    want: { hard: 1, used: 2 }
  },
  {
    name: 'a limit that was just raised counts as it was',
    spec: '4',
    status: { hard: { [GPU]: '1' }, used: { [GPU]: '1' } },
    want: { hard: 1, used: 1 }
  },
  {
    name: 'a quota that was never counted has no use',
    spec: '4',
    status: {},
    want: { hard: 4, used: undefined }
  },
  {
    name: 'a limit that cannot be read is zero',
    spec: 'many',
    status: {},
    want: { hard: 0, used: undefined }
  },
  {
    name: 'a limit with a fraction is rounded down',
    spec: '1500m',
    status: { used: { [GPU]: '0' } },
    want: { hard: 1, used: 0 }
  },
  {
    name: 'a limit beyond all counts is no limit to speak of',
    spec: '1e30',
    status: { used: { [GPU]: '0' } },
    want: { hard: Number.MAX_SAFE_INTEGER, used: 0 }
  }
]) {
  t.test(`[QUOTA2] ${name}`, async (t) => {
    const read = readResourceQuota({ ...aRawQuota(), spec: { hard: { [GPU]: spec } }, status })

    t.strictSame(read?.limits, { [GPU]: want })
  })
}

t.test('[QUOTA1] a key that is no name of ours is no limit: __proto__', async (t) => {
  const raw: unknown = JSON.parse(
    '{"metadata":{"name":"a","namespace":"b"},"spec":{"hard":{"__proto__":"1","requests.x/__proto__":"2"}}}'
  )

  t.strictSame(Object.keys(readResourceQuota(raw)?.limits ?? {}), ['requests.x/__proto__'])
})
