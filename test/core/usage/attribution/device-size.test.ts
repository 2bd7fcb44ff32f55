import t from 'tap'
import {
  computePart,
  deviceMiB,
  exceedsDevice,
  mostDeviceMiB,
  replicasOf,
  withoutShared
} from '../../../../src/core/usage/attribution/device-size.ts'
import type { DeviceLabels } from '../../../../src/core/usage/dialect-series.ts'
import { aKnownNode, aSeries } from '../../../build/attribution.ts'

function labels(spec: Partial<DeviceLabels> = {}): DeviceLabels {
  return aSeries({ ...spec, days: [] }).labels
}

const slice = { gpuInstanceId: '9', migProfile: '1g.10gb' }
const node = aKnownNode({
  memoryMiB: { 'nvidia.com/gpu': 81_920, 'nvidia.com/mig-1g.10gb': 9728, 'nvidia.com/mig-2g.20gb': 0 }
})

const sizes = [
  { name: 'a GPU by its node', of: labels({ model: '' }), node, want: [81_920, 81_920] },
  { name: 'a slice by its node', of: labels(slice), node, want: [9728, 9728] },
  {
    name: 'a label of 0 says nothing',
    of: labels({ ...slice, migProfile: '2g.20gb', model: '' }),
    node,
    want: [undefined, undefined]
  },
  { name: 'a GPU by the catalogue: least and most', of: labels(), node: undefined, want: [81_559, 81_920] },
  {
    name: 'a slice by the catalogue',
    of: labels({ ...slice, model: 'NVIDIA-A30', migProfile: '1g.6gb' }),
    node: undefined,
    want: [5952, 5952]
  },
  {
    name: 'a GPU that nobody knows',
    of: labels({ model: 'Tesla-T4' }),
    node: undefined,
    want: [undefined, undefined]
  },
  {
    name: 'a slice without a profile',
    of: labels({ gpuInstanceId: '9' }),
    node,
    want: [undefined, undefined]
  }
]

for (const { name, of, node, want } of sizes) {
  t.test(`[USE10] memory of a device: ${name}`, async (t) => {
    t.strictSame([deviceMiB(of, node), mostDeviceMiB(of, node)], want)
  })
}

t.test(
  '[USE10] a value may be 2 % above what the node says, and is bounded by the GPU where the slice is unknown',
  async (t) => {
    t.equal(exceedsDevice(83_500, labels(), node), false)
    t.equal(exceedsDevice(83_600, labels(), node), true)
    t.equal(exceedsDevice(10_000, labels(slice), node), true)
    t.equal(exceedsDevice(83_600, labels({ gpuInstanceId: '9' }), node), true)
    t.equal(exceedsDevice(500_000, labels(), undefined), false)
  }
)

t.test('[USE7] replicas are those of the resource that is asked for, else of the device', async (t) => {
  const shared = aKnownNode({ replicas: { 'nvidia.com/gpu': 4, 'nvidia.com/mig-1g.10gb': 2 } })

  t.equal(replicasOf(labels(), undefined, shared), 4)
  t.equal(replicasOf(labels(slice), undefined, shared), 2)
  t.equal(replicasOf(labels(slice), 'nvidia.com/gpu.shared', shared), 4)
  t.equal(replicasOf(labels(), undefined, undefined), undefined)
  t.equal(replicasOf(labels({ gpuInstanceId: '9' }), undefined, shared), undefined)
})

t.test('[USE2] compute of a slice is a part of the GPU where it is published', async (t) => {
  t.equal(computePart(labels()), 1)
  t.equal(computePart(labels(slice)), 16 / 132)
  t.equal(computePart(labels({ ...slice, migProfile: '9g.9gb' })), undefined)
  t.equal(computePart(labels({ ...slice, model: '' })), undefined)
  t.equal(computePart(labels({ gpuInstanceId: '9' })), undefined)
})

t.test('[USE7] the name of a replica is that of its device with an ending', async (t) => {
  t.equal(withoutShared('nvidia.com/gpu.shared'), 'nvidia.com/gpu')
  t.equal(withoutShared('nvidia.com/mig-1g.10gb.shared'), 'nvidia.com/mig-1g.10gb')
  t.equal(withoutShared('nvidia.com/gpu'), 'nvidia.com/gpu')
})
