import t from 'tap'
import { classSetOf } from '../../../../src/core/cluster/devices/class-set.ts'
import { readDeviceClass } from '../../../../src/core/cluster/devices/device-class.ts'
import { readDeviceSlice } from '../../../../src/core/cluster/devices/device-slice.ts'
import { nodeDevicesOf } from '../../../../src/core/cluster/devices/node-devices.ts'
import type { JsonRecord } from '../../../../src/core/json.ts'
import { aDeviceClass, type ClassSpec, h100Parts, someClasses, someSlices } from '../../../build/devices.ts'

function devicesOf(
  slices: readonly JsonRecord[],
  classes: readonly ClassSpec[] = Object.values(someClasses)
) {
  return nodeDevicesOf(
    slices.flatMap((raw) => readDeviceSlice(raw) ?? []),
    classSetOf(classes.flatMap((own) => readDeviceClass(aDeviceClass(own)) ?? []))
  )
}

/** Profile, count, name and class of each share. */
function waysOf(...args: Parameters<typeof devicesOf>) {
  const { shares = [] } = devicesOf(...args) ?? {}
  return shares.map(({ profile, count, resource, deviceClass }) => [profile, count, resource, deviceClass])
}

const small = 'nvidia.com/mig-1g.10gb'

t.test('[SHA41] a node with cards that are cut on demand has shares by profile', async (t) => {
  const devices = devicesOf(someSlices({ gpus: 2 }))

  t.strictSame(devices?.shares, [
    {
      profile: '1g.10gb',
      product: 'NVIDIA-H100-80GB-HBM3',
      memoryMiB: 9984,
      multiprocessors: 16,
      resource: small,
      deviceClass: 'mig-1g-10gb',
      count: 14
    },
    {
      profile: '2g.20gb',
      product: 'NVIDIA-H100-80GB-HBM3',
      memoryMiB: 20096,
      multiprocessors: 32,
      resource: undefined,
      deviceClass: 'mig.nvidia.com',
      count: 6
    },
    {
      profile: '3g.40gb',
      product: 'NVIDIA-H100-80GB-HBM3',
      memoryMiB: 40320,
      multiprocessors: 60,
      resource: undefined,
      deviceClass: 'mig.nvidia.com',
      count: 4
    }
  ])
})

t.test(
  '[SHA44] names by which something of the node may be had are known, whether or not they are offered',
  async (t) => {
    t.strictSame(devicesOf(someSlices({}))?.served, [
      'deviceclass.resource.kubernetes.io/gpu.nvidia.com',
      'deviceclass.resource.kubernetes.io/mig-1g-10gb',
      'deviceclass.resource.kubernetes.io/mig.nvidia.com',
      'nvidia.com/gpu',
      small,
      'rightslice-1g-10gb mig-1g-10gb',
      'rightslice-1g-10gb mig.nvidia.com',
      'rightslice-2g-20gb mig.nvidia.com',
      'rightslice-3g-40gb mig.nvidia.com'
    ])
  }
)

t.test('[SHA41] the order of slices does not matter', async (t) => {
  const slices = someSlices({ gpus: 2 })
  t.strictSame(devicesOf(slices.toReversed()), devicesOf(slices))
})

const { small: bySmall, mig, gpu } = someClasses
const only1g = h100Parts.slice(0, 1)
const implicit = 'deviceclass.resource.kubernetes.io'

const cases: readonly { name: string; classes: readonly ClassSpec[]; want: readonly unknown[] }[] = [
  { name: 'no class at all', classes: [], want: [['1g.10gb', 7, undefined, undefined]] },
  {
    name: 'a class for every profile is no name for one, also where the node has but one',
    classes: [gpu, mig],
    want: [['1g.10gb', 7, undefined, 'mig.nvidia.com']]
  },
  {
    name: 'a class for several profiles is no name for one of them',
    classes: [
      {
        name: 'some',
        selectors: [`device.attributes['gpu.nvidia.com'].?profile.orValue('') in ['1g.10gb', '2g.20gb']`],
        resource: small
      }
    ],
    want: [['1g.10gb', 7, undefined, 'some']]
  },
  {
    name: 'a class by memory is no name for a profile',
    classes: [
      {
        name: 'some',
        selectors: [
          `device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig' && device.capacity['gpu.nvidia.com'].memory.isLessThan(quantity('10Gi'))`
        ],
        resource: small
      }
    ],
    want: [['1g.10gb', 7, undefined, 'some']]
  },
  {
    name: 'a name of another domain is not asked for; the class itself is',
    classes: [{ ...bySmall, resource: 'example.com/small' }],
    want: [['1g.10gb', 7, `${implicit}/mig-1g-10gb`, 'mig-1g-10gb']]
  },
  {
    name: 'a name that promises another profile is not asked for either',
    classes: [{ ...bySmall, resource: 'nvidia.com/mig-3g.40gb' }],
    want: [['1g.10gb', 7, `${implicit}/mig-1g-10gb`, 'mig-1g-10gb']]
  },
  {
    name: 'classes have no names of themselves where no class has an extended resource',
    classes: [{ ...bySmall, resource: '' }],
    want: [['1g.10gb', 7, undefined, 'mig-1g-10gb']]
  },
  {
    name: 'a class that sets up its devices is no way to them',
    classes: [{ ...bySmall, config: [{ opaque: { driver: 'gpu.nvidia.com' } }] }],
    want: [['1g.10gb', 7, undefined, undefined]]
  },
  {
    name: 'a class that is not understood is no way to them',
    classes: [{ ...bySmall, selectors: ['newFunction(device)'] }],
    want: [['1g.10gb', 7, undefined, undefined]]
  },
  {
    name: 'a class that fails on another device of the node is no way to them',
    classes: [
      {
        name: 'some',
        selectors: [`device.attributes['gpu.nvidia.com'].profile == '1g.10gb'`],
        resource: small
      }
    ],
    want: [['1g.10gb', 7, undefined, undefined]]
  },
  {
    name: 'the newest class has the name',
    classes: [
      { ...bySmall, created: '2026-01-01T00:00:00Z' },
      { ...mig, name: 'newer', resource: small, created: '2026-02-01T00:00:00Z' }
    ],
    want: [['1g.10gb', 7, `${implicit}/mig-1g-10gb`, 'mig-1g-10gb']]
  }
]
for (const { name, classes, want } of cases) {
  t.test(`[SHA43] [SHA45] ${name}`, async (t) => {
    t.strictSame(waysOf(someSlices({ parts: only1g }), classes), want)
  })
}

t.test('[SHA41] of a pool only the newest generation counts, and only when it is whole', async (t) => {
  const old = someSlices({ parts: h100Parts })
  const fresh = someSlices({ parts: only1g, generation: 2 })

  t.strictSame(waysOf([...old, ...fresh]), [['1g.10gb', 7, small, 'mig-1g-10gb']])
  t.strictSame(waysOf(fresh.slice(1)), [])
  t.ok(devicesOf(fresh.slice(1))?.served.includes(small), 'but some of it may be given away')
})

t.test('[SHA41] a profile of which some devices may be given to several is not asked for', async (t) => {
  const slices = someSlices({ parts: only1g })
  const shared = someSlices({ node: 'node-1', parts: only1g, device: { allowMultipleAllocations: true } })
  const pool = { name: 'other', generation: 1, resourceSliceCount: 2 }
  const moved = shared.map((raw) => ({ ...raw, spec: { ...Object(raw['spec']), pool } }))

  t.strictSame(waysOf(shared), [])
  t.strictSame(waysOf([...slices, ...moved]), [['1g.10gb', 7, undefined, undefined]])
})

t.test(
  '[SHA41] the least of all devices of a profile counts, and what one does not say is not known',
  async (t) => {
    const [part] = only1g
    if (part === undefined) return
    const mixed = [
      { ...part, starts: [0], memoryMiB: 9856 },
      { ...part, starts: [1] }
    ]
    t.match(devicesOf(someSlices({ parts: mixed }))?.shares, [{ memoryMiB: 9856 }])
    const silent = someSlices({ parts: only1g, device: { capacity: {} } })
    t.match(devicesOf(silent)?.shares, [{ memoryMiB: undefined, multiprocessors: undefined }])
  }
)

t.test(
  '[SHA41] other drivers, names that are no profile and nodes without devices give no shares',
  async (t) => {
    t.equal(devicesOf([]), undefined)
    t.equal(devicesOf(someSlices({ parts: [], whole: false })), undefined)
    const odd = someSlices({ parts: only1g.map((part) => ({ ...part, profile: '1c.2g.20gb' })) })
    t.strictSame(devicesOf(odd)?.shares, [])
    const other = someSlices().map((raw) => ({
      ...raw,
      spec: { ...Object(raw['spec']), driver: 'gpu.example' }
    }))
    t.strictSame(devicesOf(other)?.shares, [])
  }
)
