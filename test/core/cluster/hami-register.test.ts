import fc from 'fast-check'
import t from 'tap'
import {
  hamiAnnotations,
  readHamiDevices,
  slimRegistration
} from '../../../src/core/cluster/hami-register.ts'

const { register, handshake } = hamiAnnotations

function read(text: unknown, shaken?: string): ReturnType<typeof readHamiDevices> {
  return readHamiDevices({ annotations: { [register]: text, ...(shaken && { [handshake]: shaken }) } })
}

const v100 = {
  id: 'GPU-00552014-5c87-89ac-b1a6-7b53aa24b0ec',
  count: 10,
  devmem: 32_768,
  devcore: 100,
  type: 'NVIDIA-Tesla V100-PCIE-32GB',
  numa: 1,
  mode: 'hami-core',
  health: true
}
const one = { slots: 10, split: 10, memoryMiB: 32_768, corePercent: 100 }
const seven = 'GPU-1,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true:'
const nine = 'GPU-1,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true,0,hami-core:'

const cases: readonly { name: string; text: unknown; want: unknown }[] = [
  { name: 'JSON', text: JSON.stringify([v100]), want: one },
  { name: 'JSON after blanks', text: ` ${JSON.stringify([v100])}`, want: one },
  {
    name: 'several GPUs: all slots, the largest split and memory, the least compute',
    text: JSON.stringify([v100, { ...v100, count: 4, devmem: 40_960, devcore: 50 }]),
    want: { slots: 14, split: 10, memoryMiB: 40_960, corePercent: 50 }
  },
  { name: 'text of seven parts', text: seven, want: one },
  { name: 'text of nine parts', text: nine, want: one },
  {
    name: 'text of eight parts, with the index alone',
    text: 'GPU-1,10,32768,100,NVIDIA-Tesla V100-PCIE-32GB,0,true,0:',
    want: one
  },
  { name: 'text of two GPUs', text: seven + seven, want: { ...one, slots: 20 } },
  { name: 'no mode', text: JSON.stringify([{ ...v100, mode: '' }]), want: one },
  {
    name: 'no limit of compute',
    text: JSON.stringify([{ ...v100, devcore: 0 }]),
    want: { ...one, corePercent: 0 }
  },
  {
    name: 'compute that is left out, as JSON leaves out zero',
    text: JSON.stringify([{ ...v100, devcore: undefined }]),
    want: { ...one, corePercent: 0 }
  },
  {
    name: 'one of two healthy',
    text: JSON.stringify([v100, { ...v100, devmem: 99_999, health: false }]),
    want: one
  },
  { name: 'health left out', text: JSON.stringify([{ ...v100, health: undefined }]), want: undefined },
  { name: 'text of an unhealthy one', text: seven.replace('true', 'false'), want: undefined },
  { name: 'mode mig', text: JSON.stringify([{ ...v100, mode: 'mig' }]), want: undefined },
  { name: 'text in mode mps', text: nine.replace('hami-core', 'mps'), want: undefined },
  { name: 'no slots', text: JSON.stringify([{ ...v100, count: 0 }]), want: undefined },
  { name: 'no memory', text: JSON.stringify([{ ...v100, devmem: undefined }]), want: undefined },
  { name: 'a count that is no number', text: JSON.stringify([{ ...v100, count: '10' }]), want: undefined },
  { name: 'memory below zero', text: JSON.stringify([{ ...v100, devmem: -1 }]), want: undefined },
  {
    name: 'compute that is no whole number',
    text: JSON.stringify([{ ...v100, devcore: 0.5 }]),
    want: undefined
  },
  { name: 'one entry that cannot be read', text: JSON.stringify([v100, 'x']), want: undefined },
  { name: 'text with a part that is no number', text: seven.replace('32768', 'x'), want: undefined },
  { name: 'text with too few parts', text: 'GPU-1,10,32768:', want: undefined },
  { name: 'text with too many parts', text: `${nine.slice(0, -1)},x:`, want: undefined },
  { name: 'JSON cut short', text: '[{"id":', want: undefined },
  { name: 'an empty list', text: '[]', want: undefined },
  { name: 'an object', text: '{}', want: undefined },
  { name: 'nothing', text: '', want: undefined },
  { name: 'no text', text: 7, want: undefined }
]
for (const { name, text, want } of cases) {
  t.test(`[SHA33] reads a registration: ${name}`, async (t) => {
    t.strictSame(read(text), want)
  })
}

const handshakes: readonly { name: string; shaken: string; want: boolean }[] = [
  { name: 'waited for', shaken: 'Requesting_2026-11-27 11:59:30', want: true },
  {
    name: 'waited for since long ago, as newer versions leave it',
    shaken: 'Requesting_2024.01.23 04:30:04',
    want: true
  },
  { name: 'answered', shaken: 'Reported_2026-11-27 11:59:30', want: true },
  { name: 'given up', shaken: 'Deleted_2026-11-27 11:59:30', want: false }
]
for (const { name, shaken, want } of handshakes) {
  t.test(
    `[SHA33] a registration whose handshake was ${name} ${want ? 'counts' : 'does not count'}`,
    async (t) => {
      t.equal(read(JSON.stringify([v100]), shaken) !== undefined, want)
    }
  )
}

t.test('[SHA33] a node without annotations has no registration', async (t) => {
  for (const metadata of [undefined, null, {}, { annotations: [] }])
    t.equal(readHamiDevices(metadata), undefined)
})

t.test('[SHA33] reading never fails', async () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.constant(seven).map((text) => text.repeat(3))
      ),
      (text) => {
        read(text)
        slimRegistration(text)
      }
    )
  )
})

t.test('what is left of a registration reads the same, and holds no id', async (t) => {
  for (const text of [JSON.stringify([v100, { ...v100, mode: 'mig' }]), seven, nine]) {
    const slim = slimRegistration(text) ?? ''

    t.strictSame(read(slim), read(text))
    t.notMatch(slim, /GPU-|Tesla/)
  }
  t.equal(slimRegistration('{'), undefined)
})
