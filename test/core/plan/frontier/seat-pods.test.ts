import t from 'tap'
import { type OpenSeat, type Seated, seatPods } from '../../../../src/core/plan/frontier/seat-pods.ts'
import type { PlanPod, PlanState } from '../../../../src/core/plan/plan-state.ts'
import { aPod, type ShortNode, slotOf } from '../order-case.ts'
import { aDrain } from './drain-case.ts'

/** A node with an empty card of the same name. */
const nodeWith = (card: string, free: Partial<ShortNode> = {}): ShortNode => ({
  unit: 'instance',
  cards: { [card]: {} },
  ...free
})

/** Seats from texts such as `m 3g.40gb@4 red`. */
function seatsOf({ nodes }: PlanState, texts: readonly string[]): readonly OpenSeat[] {
  return texts.flatMap((text) => {
    const [id, slot = '', tenant] = text.split(' ')
    const node = nodes.find((other) => other.id === id)
    const [card] = node?.cards ?? []
    if (node === undefined || card === undefined) throw new Error(`no node ${id}`)
    const placement = slotOf(slot)
    return [
      {
        ref: { node, card },
        pool: 'a100',
        tenant,
        slot: slot.split('@')[0] ?? '',
        kind: 'as-is',
        placement,
        layout: []
      }
    ]
  })
}

interface Arrivals {
  readonly pods: readonly PlanPod[]
  readonly seats: readonly string[]
  /** By id of a pod the node that it leaves. */
  readonly leaving?: Readonly<Record<string, string>>
}

function seat(state: PlanState, { pods, seats, leaving = {} }: Arrivals): Seated {
  return seatPods(
    { ...state, pods },
    {
      arrivals: pods.map((pod) => ({ pool: Object.keys(pod.slots)[0] ?? '', pod })),
      seats: seatsOf(state, seats),
      leaving: new Map(Object.entries(leaving).map(([pod, node]) => [pod, { node, card: node }]))
    }
  )
}

/** Seats that were given, in words. */
function told(seated: Seated): unknown {
  if (seated.kind === 'no-host') return seated
  const texts = [...seated.seats].map(([pod, { ref, placement, slot }]) => {
    return `${pod} ${ref.node.id} ${slot}@${placement?.start ?? ''}`
  })
  return texts.toSorted()
}

const small = (id: string, fields: Partial<PlanPod> = {}): PlanPod =>
  aPod(id, { slots: { a100: '1g.10gb' }, ...fields })

const two = aDrain({ m: nodeWith('a'), n: nodeWith('b') })

interface Case extends Arrivals {
  readonly name: string
  readonly state?: PlanState
  readonly want: unknown
}

const cases: readonly Case[] = [
  { name: '[PLAN2] nobody comes', pods: [], seats: ['m 1g.10gb@0'], want: [] },
  {
    name: '[PLAN2] each pod has a slot that serves it',
    pods: [small('p'), small('q', { slots: { a100: '3g.40gb' } }), small('r', { slots: { a100: 'whole' } })],
    seats: ['m whole', 'm 3g.40gb@4', 'n 1g.10gb@0'],
    want: ['p n 1g.10gb@0', 'q m 3g.40gb@4', 'r m whole@']
  },
  {
    name: '[PLAN2] a pinned pod has a slot of its profile, and another one makes room',
    pods: [small('p'), small('q', { isExact: true })],
    seats: ['m 1g.10gb@0', 'n 3g.40gb@0'],
    want: ['p n 3g.40gb@0', 'q m 1g.10gb@0']
  },
  {
    name: '[PLAN2] seats of a tenant are for its pods alone',
    pods: [small('p', { tenant: 'red' }), small('q')],
    seats: ['m 1g.10gb@0', 'n 1g.10gb@0 red'],
    want: ['p n 1g.10gb@0', 'q m 1g.10gb@0']
  },
  {
    name: '[PLAN8] pods that need most CPU come first',
    state: aDrain({ m: nodeWith('a', { freeCpuMilli: 300 }), n: nodeWith('b', { freeCpuMilli: 100 }) }),
    pods: [small('p', { cpuMilli: 100 }), small('q', { cpuMilli: 300 })],
    seats: ['m 1g.10gb@0', 'n 1g.10gb@0'],
    want: ['p n 1g.10gb@0', 'q m 1g.10gb@0']
  },
  {
    name: '[PLAN8] of those that need as much CPU, those that need most memory come first',
    state: aDrain({ m: nodeWith('a', { freeMemoryMiB: 300 }), n: nodeWith('b', { freeMemoryMiB: 100 }) }),
    pods: [small('p', { memoryMiB: 100 }), small('q', { memoryMiB: 300 })],
    seats: ['m 1g.10gb@0', 'n 1g.10gb@0'],
    want: ['p n 1g.10gb@0', 'q m 1g.10gb@0']
  },
  {
    name: '[PLAN10] of those that need as much, the first by id comes first',
    pods: [small('q'), small('p')],
    seats: ['m 1g.10gb@0', 'n 1g.10gb@0'],
    want: ['p m 1g.10gb@0', 'q n 1g.10gb@0']
  },
  {
    name: '[PLAN8] what leaves gives back what it had',
    state: aDrain({ m: nodeWith('a', { freeCpuMilli: 0, freeMemoryMiB: 0 }) }),
    pods: [small('p', { cpuMilli: 100, memoryMiB: 10 })],
    seats: ['m 1g.10gb@0'],
    leaving: { p: 'm' },
    want: ['p m 1g.10gb@0']
  },
  {
    name: '[PLAN8] what comes takes what it needs, so a second pod may find nothing',
    state: aDrain({ m: nodeWith('a', { freeCpuMilli: 150 }) }),
    pods: [small('p', { cpuMilli: 100 }), small('q', { cpuMilli: 100 })],
    seats: ['m 1g.10gb@0', 'm 1g.10gb@1'],
    want: { kind: 'no-host', pod: 'q', pool: 'a100' }
  },
  {
    name: '[PLAN8] memory that is on no single node is named',
    state: aDrain({ m: nodeWith('a', { freeMemoryMiB: 60 }), n: nodeWith('b', { freeMemoryMiB: 60 }) }),
    pods: [small('p', { memoryMiB: 100 })],
    seats: ['m 1g.10gb@0', 'n 1g.10gb@0'],
    leaving: { p: 'elsewhere' },
    want: { kind: 'no-host', pod: 'p', pool: 'a100' }
  }
]

for (const { name, state = two, want, ...arrivals } of cases) {
  t.test(name, (t) => {
    t.strictSame(told(seat(state, arrivals)), want)
    t.end()
  })
}

t.test('[PLAN6] an answer with too few slots, or of a pool that is not there, is refused', (t) => {
  const wrong = [
    { pods: [small('p'), small('q')], seats: ['m 1g.10gb@0'] },
    { pods: [small('p', { slots: { a100: '3g.40gb' } })], seats: ['m 1g.10gb@0'] },
    { pods: [small('p', { tenant: 'red' })], seats: ['m 1g.10gb@0'] },
    { pods: [small('p', { slots: { z: '1g.10gb' } })], seats: ['m 1g.10gb@0'] }
  ]

  for (const arrivals of wrong) t.throws(() => seat(two, arrivals), { code: 'PLAN_INVALID' })
  const pod = small('p', { slots: { z: '1g.10gb' } })
  const arrivals = [{ pool: 'a100', pod }]
  t.throws(() => seatPods(two, { arrivals, seats: seatsOf(two, ['m 1g.10gb@0']), leaving: new Map() }), {
    code: 'PLAN_INVALID'
  })
  t.end()
})

t.test('[PLAN8] a node that is not there has room for nobody', (t) => {
  const [seatThere] = seatsOf(two, ['m 1g.10gb@0'])
  const pod = small('p')

  const seated = seatPods(
    { ...two, nodes: [], pods: [pod] },
    {
      arrivals: [{ pool: 'a100', pod }],
      seats: seatThere === undefined ? [] : [seatThere],
      leaving: new Map()
    }
  )

  t.strictSame(seated, { kind: 'no-host', pod: 'p', pool: 'a100' })
  t.end()
})
