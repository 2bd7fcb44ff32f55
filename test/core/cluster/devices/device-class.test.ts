import t from 'tap'
import {
  classOfResource,
  type DeviceClass,
  implicitResource,
  readDeviceClass
} from '../../../../src/core/cluster/devices/device-class.ts'
import { aDeviceClass } from '../../../build/devices.ts'

t.test('reads name, age, extended resource, selectors and whether there is a configuration', async (t) => {
  const raw = aDeviceClass({
    name: 'small',
    selectors: ['true'],
    resource: 'nvidia.com/mig-1g.10gb',
    created: '2026-01-01T00:00:00Z',
    config: [{ opaque: {} }]
  })

  t.strictSame(readDeviceClass(raw), {
    name: 'small',
    createdMs: Date.UTC(2026, 0, 1),
    resource: 'nvidia.com/mig-1g.10gb',
    selectors: ['true'],
    hasConfig: true
  })
})

t.test('a class without a name is none; a selector that is no text takes nothing', async (t) => {
  for (const raw of [null, 1, {}, { metadata: {} }]) t.equal(readDeviceClass(raw), undefined)
  t.strictSame(readDeviceClass({ metadata: { name: 'x' }, spec: { selectors: [null, { cel: 1 }] } }), {
    name: 'x',
    createdMs: 0,
    resource: undefined,
    selectors: ['', ''],
    hasConfig: false
  })
})

const named = (name: string, createdMs: number, resource?: string): DeviceClass => ({
  name,
  createdMs,
  resource,
  selectors: [],
  hasConfig: false
})

t.test('of several classes for one name the newest counts, then the first by name', async (t) => {
  const classes = [named('old', 1, 'a/x'), named('z', 2, 'a/x'), named('b', 2, 'a/x'), named('none', 9)]

  for (const order of [classes, classes.toReversed()])
    t.strictSame(
      [...classOfResource(order)].map(([name, own]) => [name, own.name]),
      [['a/x', 'b']]
    )
})

t.test('every class has a name of itself, unless its own is too long', async (t) => {
  t.equal(implicitResource({ name: 'mig.nvidia.com' }), 'deviceclass.resource.kubernetes.io/mig.nvidia.com')
  t.equal(implicitResource({ name: 'x'.repeat(64) }), undefined)
})
