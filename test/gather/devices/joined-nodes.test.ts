import t from 'tap'
import { type DeviceClass, readDeviceClass } from '../../../src/core/cluster/devices/device-class.ts'
import type { DeviceSlice } from '../../../src/core/cluster/devices/device-slice.ts'
import type { NodeView } from '../../../src/core/cluster/node-view.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import { deviceSliceReader } from '../../../src/gather/devices/device-reader.ts'
import { JoinedNodes } from '../../../src/gather/devices/joined-nodes.ts'
import type { ObjectChange } from '../../../src/ports/object-store.ts'
import { aDeviceClass, h100Parts, someClasses, someSlices } from '../../build/devices.ts'
import { viewOf } from '../../build/input.ts'
import { aNode } from '../../build/node.ts'
import { MemoryStore } from '../../fakes/memory-store.ts'

function aCluster() {
  const stores = {
    nodes: new MemoryStore<NodeView>(),
    deviceSlices: new MemoryStore<DeviceSlice>(),
    deviceClasses: new MemoryStore<DeviceClass>()
  }
  const read = deviceSliceReader()
  const publish = (slices: readonly JsonRecord[]): void => {
    for (const raw of slices) {
      const slice = read(raw)
      if (slice !== undefined) stores.deviceSlices.set('', slice.name, slice)
    }
  }
  const define = (spec: Parameters<typeof aDeviceClass>[0]): void => {
    const known = readDeviceClass(aDeviceClass(spec))
    if (known !== undefined) stores.deviceClasses.set('', known.name, known)
  }
  const nodes = new JoinedNodes(stores)
  const changes: ObjectChange<NodeView>[] = []
  nodes.onChange((some) => changes.push(...some))
  const add = (name: string, labels = {}): void => stores.nodes.set('', name, viewOf(aNode({ name, labels })))
  const profiles = (name: string) =>
    nodes.get('', name)?.devices?.shares.map(({ profile, resource }) => `${profile} ${resource ?? 'no name'}`)
  return { ...stores, joined: nodes, changes, publish, define, add, profiles }
}

const some = h100Parts.slice(0, 1)
const slices = someSlices({ node: 'a', parts: some })

t.test('[SHA41] nodes are joined with what is published for them, whatever comes first', async (t) => {
  const early = aCluster()
  early.publish(slices)
  early.define(someClasses.small)
  early.add('a')
  const late = aCluster()
  late.add('a')
  late.define(someClasses.small)
  late.publish(slices)

  for (const { profiles } of [early, late]) t.strictSame(profiles('a'), ['1g.10gb nvidia.com/mig-1g.10gb'])
})

t.test('a change of a class reaches the nodes that it is about, and no others', async (t) => {
  const { add, publish, define, changes, profiles, joined } = aCluster()
  add('a')
  add('plain')
  publish(slices)
  t.strictSame(profiles('a'), ['1g.10gb no name'])
  changes.length = 0
  const version = joined.version()

  define(someClasses.small)

  t.strictSame(profiles('a'), ['1g.10gb nvidia.com/mig-1g.10gb'])
  t.strictSame(
    changes.map(({ after }) => after?.name),
    ['a']
  )
  t.ok(joined.version() > version)
})

t.test('a node with devices that changes is told once', async (t) => {
  const { add, publish, changes, joined } = aCluster()
  add('a')
  publish(slices)
  changes.length = 0
  const version = joined.version()

  add('a', { zone: 'b' })

  t.strictSame(
    changes.map(({ before, after }) => [
      before?.labels['zone'],
      after?.labels['zone'],
      after?.devices !== undefined
    ]),
    [[undefined, 'b', true]]
  )
  t.equal(joined.version(), version + 1)
})

t.test('what goes, goes', async (t) => {
  const { add, publish, deviceSlices, nodes, joined, profiles } = aCluster()
  add('a')
  publish(slices)
  deviceSlices.remove('', 'a-devices')
  t.equal(joined.get('', 'a')?.devices, undefined)
  publish(slices)
  t.strictSame(profiles('a'), ['1g.10gb no name'])
  nodes.remove('', 'a')
  t.strictSame(joined.list(), [])
  publish(someSlices({ node: 'a', parts: some, gpus: 2 }))
  t.strictSame(joined.list(), [], 'of a node that is not there nothing is told')
})

t.test('equal nodes have one value, and a node without devices is as it was', async (t) => {
  const { add, publish, define, joined, nodes } = aCluster()
  define(someClasses.small)
  for (const node of ['a', 'b']) {
    add(node)
    publish(someSlices({ node, parts: some }))
  }
  add('plain')

  t.ok(joined.get('', 'a')?.devices)
  t.equal(joined.get('', 'a')?.devices, joined.get('', 'b')?.devices)
  t.equal(joined.get('', 'plain'), nodes.get('', 'plain'))
  t.strictSame(
    joined
      .list()
      .map(({ name }) => name)
      .sort(),
    ['a', 'b', 'plain']
  )
  t.equal(joined.list(), joined.list())
})

t.test('its state is that of the nodes, and after its end it hears nothing', async (t) => {
  const { add, joined, nodes, changes } = aCluster()
  nodes.setState({ synced: false })
  t.equal(joined.state().synced, false)
  const end = joined.onChange(() => t.fail('told after the end'))
  end()
  add('a')
  t.equal(changes.length, 1)
  joined.close()
  add('b')
  t.equal(changes.length, 1)
})
