import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { readWishes } from '../../../src/core/decision/wishes.ts'
import { anInput } from '../../build/input.ts'
import { aPod } from '../../build/pod.ts'

const none = { pin: undefined, minMemoryMiB: undefined, headroomRatio: undefined, sharing: 'any' }
const mig = (profile: string) => ({ kind: 'mig', profile })

const good: readonly { key: string; value: string; want: object }[] = [
  { key: 'pin', value: 'whole-gpu', want: { pin: { kind: 'whole-gpu' } } },
  { key: 'pin', value: 'shared', want: { pin: { kind: 'shared' } } },
  { key: 'pin', value: 'mig-2g.10gb', want: { pin: mig('2g.10gb') } },
  { key: 'pin', value: '2g.10gb', want: { pin: mig('2g.10gb') } },
  { key: 'pin', value: 'mig-1g.10gb.me', want: { pin: mig('1g.10gb+me') } },
  { key: 'pin', value: 'mig-1g.10gb+me', want: { pin: mig('1g.10gb+me') } },
  { key: 'min-memory', value: '20Gi', want: { minMemoryMiB: 20_480 } },
  { key: 'min-memory', value: '1Mi', want: { minMemoryMiB: 1 } },
  { key: 'min-memory', value: '21474836480', want: { minMemoryMiB: 20_480 } },
  { key: 'headroom', value: '30%', want: { headroomRatio: 0.3 } },
  { key: 'headroom', value: '0.3', want: { headroomRatio: 0.3 } },
  { key: 'headroom', value: '0%', want: { headroomRatio: 0 } },
  { key: 'sharing', value: 'never', want: { sharing: 'never' } },
  { key: 'sharing', value: 'mig', want: { sharing: 'mig' } },
  { key: 'sharing', value: 'any', want: {} },
  { key: 'do-not-move', value: 'true', want: {} },
  { key: 'do-not-move', value: '8h', want: {} },
  { key: 'reason', value: '', want: {} },
  { key: 'reason', value: 'demo on Friday', want: {} }
]

for (const { key, value, want } of good) {
  t.test(`[DEC18] ${key}: ${value} is read`, async (t) => {
    const reading = readWishes({ annotations: { [`rightslice.dev/${key}`]: value } })

    t.strictSame(reading, { ok: true, wishes: { ...none, ...want } })
  })
}

t.test('[DEC18] pin: gpumem is read with the size that it needs, and is a fault without', async (t) => {
  const pin = { 'rightslice.dev/pin': 'gpumem' }

  const sized = readWishes({ annotations: { ...pin, 'rightslice.dev/min-memory': '6Gi' } })
  const bare = readWishes({ annotations: pin })

  t.strictSame(sized, { ok: true, wishes: { ...none, pin: { kind: 'gpumem' }, minMemoryMiB: 6144 } })
  t.match(bare, { ok: false, faults: [/pin="gpumem".*rightslice\.dev\/min-memory/] })
})

const bad: readonly (readonly [key: string, value: string])[] = [
  ['pin', ''],
  ['pin', 'Whole-GPU'],
  ['pin', 'mig'],
  ['pin', 'mig-'],
  ['pin', 'mig-5g'],
  ['pin', 'mig-1g.10gb.shared'],
  ['pin', '1c.2g.20gb'],
  ['pin', 'mig-mig-1g.10gb'],
  ['min-memory', ''],
  ['min-memory', '20GB'],
  ['min-memory', '0'],
  ['min-memory', '20480'],
  ['min-memory', '1023Ki'],
  ['min-memory', '-1Gi'],
  ['headroom', '1.2'],
  ['headroom', '-5%'],
  ['headroom', '600%'],
  ['headroom', 'much'],
  ['sharing', 'Never'],
  ['sharing', 'yes'],
  ['do-not-move', 'false'],
  ['do-not-move', '1.5h'],
  ['pinned', 'whole-gpu'],
  ['', 'x'],
  ['constructor', 'x']
]

for (const [key, value] of bad) {
  t.test(`[DEC18] ${key}: "${value}" keeps the pod as it is and is told`, async (t) => {
    const annotations = { [`rightslice.dev/${key}`]: value }

    const decision = decide(anInput({ pod: aPod({ annotations }) }))

    t.equal(decision.kind, 'keep')
    t.equal(decision.reason, 'AnnotationInvalid')
    t.ok(decision.sentence.startsWith(`rightslice.dev/${key}="${value}": `), decision.sentence)
  })
}

t.test('[DEC18] a least memory without a unit is told to be bytes', async (t) => {
  t.strictSame(readWishes({ annotations: { 'rightslice.dev/min-memory': '20480' } }), {
    ok: false,
    faults: ['rightslice.dev/min-memory="20480": use a quantity such as 20Gi; 20480 alone means bytes']
  })
})

t.test('[DEC18] every fault is told at once, in the order of the keys', async (t) => {
  const reading = readWishes({
    annotations: {
      'rightslice.dev/sharing': 'x',
      'rightslice.dev/headroom': 'y',
      'rightslice.dev/pin': 'shared'
    }
  })

  t.equal(reading.ok, false)
  t.strictSame(reading.ok === false && reading.faults.map((fault) => fault.split('=')[0]), [
    'rightslice.dev/headroom',
    'rightslice.dev/sharing'
  ])
})

t.test('annotations of others and those that only we write are no wishes', async (t) => {
  const annotations = {
    'example.com/pin': 'whole-gpu',
    pin: 'whole-gpu',
    'rightslice.dev/decision': 'nonsense',
    'rightslice.dev/explain': 'nonsense',
    'rightslice.dev/original-resources': 'nonsense',
    'rightslice.dev/snapshot': 'nonsense'
  }

  t.strictSame(readWishes({ annotations }), { ok: true, wishes: none })
})

t.test('a label is no wish, whatever it is called', async (t) => {
  const labels = { 'rightslice.dev/sharing': 'never', 'rightslice.dev/headroom': 'nonsense' }

  const decision = decide(anInput({ pod: aPod({ labels }) }))

  t.equal(decision.kind, 'rewrite')
  t.strictSame(decision.notices, [
    'label rightslice.dev/headroom is not read: write it as an annotation',
    'label rightslice.dev/sharing is not read: write it as an annotation'
  ])
})
