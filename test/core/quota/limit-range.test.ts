import t from 'tap'
import { readLimitRange } from '../../../src/core/quota/limit-range.ts'
import { limitRangeObjection, mostInPod } from '../../../src/core/quota/limit-range-verdict.ts'
import { aRawLimitRange, someLimits } from '../../build/quota.ts'

const GPU = 'nvidia.com/gpu'
const SLICE = 'nvidia.com/mig-1g.10gb'

t.test('[QUOTA6] of a LimitRange bounds and defaults of extended resources are kept', async (t) => {
  const raw = aRawLimitRange([
    {
      type: 'Container',
      min: { cpu: '1', [GPU]: '1' },
      max: { [GPU]: '2', [SLICE]: 'many' },
      default: { cpu: '1', [GPU]: '1' },
      defaultRequest: { [SLICE]: '2' }
    },
    { type: 'Pod', maxLimitRequestRatio: { [GPU]: '1', memory: '2' } },
    { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
    { type: 'constructor', max: { [GPU]: '1' } },
    { type: 'Container', default: { cpu: '1' } },
    {}
  ])

  t.strictSame(readLimitRange(raw)?.items, [
    {
      per: 'container',
      bounds: { [GPU]: { min: 1, max: 2 }, [SLICE]: { min: undefined, max: undefined } },
      defaults: { [GPU]: 1, [SLICE]: 2 }
    },
    { per: 'pod', bounds: { [GPU]: { min: undefined, max: undefined } }, defaults: {} }
  ])
})

for (const { name, raw } of [
  { name: 'a LimitRange on CPU', raw: aRawLimitRange([{ type: 'Container', max: { cpu: '1' } }]) },
  {
    name: 'one without a name',
    raw: { ...aRawLimitRange([{ type: 'Pod', max: { [GPU]: '1' } }]), metadata: {} }
  },
  { name: 'a number', raw: 7 }
])
  t.test(`[QUOTA6] ${name} bounds nobody here`, async (t) => t.equal(readLimitRange(raw), undefined))

const gone = [GPU]
for (const { name, item, want } of [
  {
    name: 'a bound from above',
    item: { type: 'Container', max: { [GPU]: '1' } },
    want: `wants ${GPU} in each container`
  },
  {
    name: 'a bound from below',
    item: { type: 'Pod', min: { [GPU]: '1' } },
    want: `wants ${GPU} in each pod`
  },
  {
    name: 'a ratio',
    item: { type: 'Container', maxLimitRequestRatio: { [GPU]: '1' } },
    want: `wants ${GPU} in each container`
  },
  { name: 'a default alone', item: { type: 'Container', default: { [GPU]: '1' } }, want: undefined },
  {
    name: 'a share that is not allowed',
    item: { type: 'Container', max: { [SLICE]: '0' } },
    want: `allows 0 of ${SLICE} in a container`
  },
  {
    name: 'more shares than one',
    item: { type: 'Container', min: { [SLICE]: '2' } },
    want: `wants 2 of ${SLICE} in each container`
  },
  {
    name: 'a share within its bounds',
    item: { type: 'Pod', min: { [SLICE]: '1' }, max: { [SLICE]: '2' } },
    want: undefined
  },
  { name: 'another resource', item: { type: 'Pod', min: { 'nvidia.com/mig-2g.20gb': '1' } }, want: undefined }
]) {
  t.test(`[QUOTA7] ${name}: ${want ?? 'no objection'}`, async (t) => {
    const { limitRanges } = someLimits({ limitRanges: [item] })

    t.equal(
      limitRangeObjection(limitRanges, { most: { [SLICE]: 1 }, gone }),
      want && `LimitRange defaults ${want}`
    )
  })
}

t.test('[QUOTA7] a whole GPU that stays is wanted still', async (t) => {
  const { limitRanges } = someLimits({ limitRanges: [{ type: 'Container', max: { [GPU]: '1' } }] })

  t.equal(limitRangeObjection(limitRanges, { most: { [GPU]: 1 }, gone: [] }), undefined)
})

t.test('[QUOTA7] the least of all bounds on a pod counts', async (t) => {
  const { limitRanges } = someLimits({
    limitRanges: [
      { type: 'Pod', max: { [SLICE]: '3' } },
      { type: 'Pod', max: { [SLICE]: '2' } },
      { type: 'Container', max: { [SLICE]: '1' } }
    ]
  })

  t.equal(mostInPod(limitRanges, SLICE), 2)
  t.equal(mostInPod(limitRanges, GPU), undefined)
})
