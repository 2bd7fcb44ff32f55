import t from 'tap'
import type { Device } from '../../../../src/core/cluster/devices/device.ts'
import { type Match, selectorOf } from '../../../../src/core/cluster/devices/selector.ts'

const device: Device = {
  driver: 'gpu.nvidia.com',
  attributes: {
    'gpu.nvidia.com': {
      type: 'mig',
      profile: '1g.10gb',
      slots: 7,
      healthy: true,
      driverVersion: { version: '580.65.6' },
      odd: { version: '1.0.0-rc.1' }
    }
  },
  capacity: { 'gpu.nvidia.com': { memory: '9984Mi', multiprocessors: '16' } },
  state: 'usable'
}
const a = `device.attributes['gpu.nvidia.com']`
const c = `device.capacity['gpu.nvidia.com']`

const cases: readonly (readonly [want: Match, ...expressions: readonly string[]])[] = [
  ['yes'],
  ['yes', 'true'],
  ['yes', `device.driver == 'gpu.nvidia.com' && ${a}.type == 'mig'`],
  ['no', `device.driver == 'gpu.nvidia.com' && ${a}.type == 'gpu'`],
  ['yes', `device.driver == "gpu.nvidia.com"`, `${a}.profile in ['1g.10gb', '1g.10gb+me']`],
  ['no', `${a}.profile == '2g.20gb'`, 'this is not even read'],
  ['yes', `${a}.slots >= 7 && ${a}.healthy`],
  ['yes', `'profile' in ${a} && ${a}.profile.startsWith('1g.')`],
  ['yes', `${a}.profile.matches('^1g[.]')`],
  ['yes', `cel.bind(own, ${a}, own.type == 'mig' && own.healthy)`],
  ['yes', `${c}.memory.compareTo(quantity('9Gi')) >= 0`],
  ['no', `${c}.memory.isGreaterThan(quantity('10Gi'))`],
  ['yes', `${c}.multiprocessors.isLessThan(quantity('17'))`],
  ['yes', `${a}.driverVersion.compareTo(semver('580.65.6')) == 0`],
  [
    'yes',
    `${a}.driverVersion.isGreaterThan(semver('550.0.0')) && ${a}.driverVersion.isLessThan(semver('581.0.0'))`
  ],
  ['no', `'x' in device.attributes['other.example']`],
  ['no', `device.driver == 'other' && ${a}.missing == 1`],
  ['no', `${a}.missing == 1 && device.driver == 'other'`],
  ['unknown', `${a}.missing == 1`],
  ['unknown', `device.attributes['other.example'].x == 1`],
  ['unknown', `${a}.odd.isLessThan(semver('2.0.0'))`],
  ['unknown', `${a}.driverVersion.isLessThan(semver('v2'))`],
  ['unknown', `${c}.memory.isGreaterThan(quantity('much'))`],
  ['unknown', 'device.driver'],
  ['unknown', 'device.driver =='],
  ['unknown', `newFunction(device.driver)`],
  ['unknown', ''],
  ['unknown', `device.driver == '${'x'.repeat(11_000)}'`],
  ['unknown', 'device.allowMultipleAllocations'],
  ['unknown', `${a}.uuid == 'MIG-1' || true`],
  ['unknown', `device.attributes['resource.kubernetes.io'].pcieRoot != ''`]
]
for (const [want, ...expressions] of cases) {
  t.test(`[SHA43] ${want}: ${expressions.join(' and ').slice(0, 90)}`, async (t) => {
    t.equal(selectorOf(expressions)(device), want)
  })
}
