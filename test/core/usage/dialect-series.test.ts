import t from 'tap'
import {
  addDiscards,
  type DeviceLabels,
  deviceKey,
  seriesKey
} from '../../../src/core/usage/dialect-series.ts'

const labels: DeviceLabels = {
  namespace: 'ml',
  pod: 'a-0',
  container: 'main',
  node: 'node-1',
  gpuUuid: 'GPU-1',
  gpuIndex: '0',
  model: '',
  perProcess: false
}

t.test('a device is a GPU, or one instance of it', (t) => {
  t.equal(deviceKey(labels), 'GPU-1')
  t.equal(deviceKey({ ...labels, gpuInstanceId: '9' }), 'GPU-1/9')
  t.equal(deviceKey({ ...labels, gpuUuid: '' }), 'node-1/0')
  t.equal(deviceKey({ ...labels, gpuUuid: '', gpuIndex: '' }), '')
  t.end()
})

t.test('every label and the metric tell series apart', (t) => {
  const changes: readonly Partial<DeviceLabels>[] = [
    { namespace: 'x' },
    { pod: 'x' },
    { podUid: 'x' },
    { container: 'x' },
    { node: 'x' },
    { gpuUuid: 'x' },
    { gpuIndex: 'x' },
    { gpuInstanceId: 'x' },
    { migProfile: 'x' },
    { model: 'x' },
    { replica: 'x' },
    { perProcess: true }
  ]
  const keys = changes.map((change) => seriesKey({ ...labels, ...change }, 'memory'))

  t.equal(
    new Set([...keys, seriesKey(labels, 'memory'), seriesKey(labels, 'sm-active')]).size,
    changes.length + 2
  )
  t.equal(seriesKey({ ...labels }, 'memory'), seriesKey(labels, 'memory'))
  t.end()
})

t.test('counts of what was discarded add up', (t) => {
  t.strictSame(addDiscards({ blank: 1 }, { blank: 2, negative: 1 }), { blank: 3, negative: 1 })
  t.strictSame(addDiscards({}, {}), {})
  t.end()
})
