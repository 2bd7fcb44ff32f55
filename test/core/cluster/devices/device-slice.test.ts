import t from 'tap'
import { readDeviceSlice } from '../../../../src/core/cluster/devices/device-slice.ts'
import { someSlices } from '../../../build/devices.ts'

const small = { profile: '1g.10gb', starts: [3], size: 1, memoryMiB: 9984, multiprocessors: 16 }

t.test('reads the counters of a card and the devices that consume them', async (t) => {
  const [counters, devices] = someSlices({ parts: [small], whole: false }).map(readDeviceSlice)

  t.match(counters, {
    node: 'node-1',
    pool: 'gpu.nvidia.com/node-1',
    generation: 1,
    sliceCount: 2,
    devices: []
  })
  t.equal(counters?.counters['gpu-0-counters/memory-slice-7'], 1)
  t.strictSame(devices?.devices, [
    {
      device: {
        driver: 'gpu.nvidia.com',
        attributes: {
          'gpu.nvidia.com': {
            architecture: 'Hopper',
            productName: 'NVIDIA H100 80GB HBM3',
            profile: '1g.10gb',
            type: 'mig'
          }
        },
        capacity: { 'gpu.nvidia.com': { memory: '9984Mi', multiprocessors: '16' } },
        state: 'usable'
      },
      consumes: { 'gpu-0-counters/memory-slice-3': 1, 'gpu-0-counters/multiprocessors': 16 }
    }
  ])
})

const spec = { driver: 'd', nodeName: 'n', pool: { name: 'p', generation: 2, resourceSliceCount: 1 } }
const sliceWith = (device: object) => readDeviceSlice({ spec: { ...spec, devices: [device] } })?.devices

t.test('keeps what an attribute says, whatever its type, by domain', async (t) => {
  const attributes = {
    a: { string: 'x' },
    b: { int: 7 },
    c: { bool: false },
    'other.example/d': { version: '1.2.3' },
    e: { strings: ['not', 'read'] },
    uuid: { string: 'one of a kind' },
    'resource.kubernetes.io/pcieRoot': { string: 'pci0000:00' }
  }

  t.strictSame(sliceWith({ name: 'x', attributes })?.[0]?.device.attributes, {
    d: { a: 'x', b: 7, c: false },
    'other.example': { d: { version: '1.2.3' } }
  })
})

t.test('a device with a taint that keeps claims away is left out', async (t) => {
  for (const effect of ['NoSchedule', 'NoExecute'])
    t.strictSame(sliceWith({ name: 'x', taints: [{ key: 'k', effect }] }), [])
  t.equal(sliceWith({ name: 'x', taints: [{ key: 'k', effect: 'None' }] })?.length, 1)
})

for (const more of [
  { allowMultipleAllocations: true },
  { bindingConditions: ['Attached'] },
  { bindsToNode: true },
  { nodeName: 'n' }
]) {
  t.test(`there is more to a device with ${Object.keys(more)[0]}`, async (t) => {
    t.equal(sliceWith({ name: 'x', ...more })?.[0]?.device.state, 'other')
  })
}

t.test('what cannot be read of counters gives nothing away', async (t) => {
  const odd = { sharedCounters: [{ name: 's', counters: { c: { value: 'many' } } }] }
  t.strictSame(readDeviceSlice({ spec: { ...spec, ...odd } })?.counters, { 's/c': 0 })
  const consumes = [{ counterSet: 's', counters: { c: { value: {} } } }]
  t.strictSame(sliceWith({ name: 'x', consumesCounters: consumes })?.[0]?.consumes, {
    's/c': Number.MAX_VALUE
  })
})

t.test('a slice that is not of one node alone is not read, and nothing throws', async (t) => {
  for (const raw of [
    null,
    1,
    [],
    {},
    { spec: { ...spec, nodeName: undefined, allNodes: true } },
    { spec: [] }
  ])
    t.equal(readDeviceSlice(raw), undefined)
  for (const devices of [null, {}, [null, 1, { attributes: [], capacity: 1, taints: {} }]])
    t.ok(readDeviceSlice({ spec: { ...spec, devices } }))
  t.match(readDeviceSlice({ spec: { ...spec, pool: { name: 'p' } } }), { generation: 0, sliceCount: 0 })
})
