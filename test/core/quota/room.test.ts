import t from 'tap'
import { deviceClassKeys, roomsFor, withoutOwn } from '../../../src/core/quota/room.ts'
import { someLimits } from '../../build/quota.ts'

const KEY = 'requests.nvidia.com/mig-1g.10gb'
const traits = { priorityClassName: undefined, hasDeadline: false, isBestEffort: false }

t.test('[QUOTA4] room is the limit without what is used and in flight, the least first', async (t) => {
  const limits = someLimits({
    quotas: [
      { name: 'b', counts: { [KEY]: ['5', '1'] } },
      { name: 'a', counts: { [KEY]: ['9', '1'] } },
      { name: 'same-as-b', counts: { [KEY]: ['4', '0'] } },
      { name: 'other', counts: { 'requests.nvidia.com/gpu': ['0', '0'] } },
      { name: 'batch', counts: { [KEY]: ['0', '0'] }, scopes: ['Terminating'] },
      { name: 'perhaps', counts: { [KEY]: ['9', '0'] }, scopes: ['Tomorrow'] }
    ],
    inFlight: { [KEY]: 2 }
  })

  t.strictSame(roomsFor(KEY, limits, traits), [
    { quota: 'b', left: 2, match: 'yes' },
    { quota: 'same-as-b', left: 2, match: 'yes' },
    { quota: 'a', left: 6, match: 'yes' },
    { quota: 'perhaps', left: 7, match: 'unknown' }
  ])
})

t.test('[QUOTA4] a quota that was never counted has no room', async (t) => {
  t.strictSame(roomsFor(KEY, someLimits({ quotas: [{ counts: { [KEY]: ['5'] } }] }), traits), [
    { quota: 'gpu', left: 0, match: 'yes' }
  ])
})

t.test('[QUOTA5] a pod that comes again does not stand in its own way', async (t) => {
  const limits = someLimits({ quotas: [{ counts: { [KEY]: ['1', '0'] } }], inFlight: { [KEY]: 1, other: 2 } })

  const again = withoutOwn(limits, { [KEY]: 1, more: 1 })

  t.strictSame(again.inFlight, { [KEY]: 0, other: 2 })
  t.equal(roomsFor(KEY, again, traits)[0]?.left, 1)
})

t.test('[QUOTA1] keys of DeviceClasses are found, each once', async (t) => {
  const key = 'mig.deviceclass.resource.k8s.io/devices'
  const counts = { [key]: ['1', '0'], [KEY]: ['1', '0'] } as const

  t.strictSame(deviceClassKeys(someLimits({ quotas: [{ counts }, { name: 'two', counts }] })), [key])
})
