import t from 'tap'
import { layOutBeside } from '../../../../src/core/plan/frontier/lay-out-beside.ts'
import type { PlanCard } from '../../../../src/core/plan/plan-state.ts'
import { slotKey, tellInstances } from '../../../../src/core/plan/seat.ts'
import { a100, slotsOf } from '../order-case.ts'

/** A card with pods in the first slots and nobody in the others. */
function cardOf(running: string, idle = ''): PlanCard {
  const instances = [
    ...slotsOf(running).map((placement) => ({ placement, pod: `p${placement.start}` })),
    ...slotsOf(idle).map((placement) => ({ placement }))
  ]
  return { id: 'c', instances: instances.toSorted((a, b) => a.placement.start - b.placement.start) }
}

const cases = [
  {
    name: 'a slot goes where there is room, at the highest start',
    card: cardOf('1g.10gb@0'),
    slots: ['1g.10gb'],
    seats: ['1g.10gb@6'],
    instances: '1g.10gb@0 + 1g.10gb@6'
  },
  {
    name: 'nothing comes, and nothing changes',
    card: cardOf('1g.10gb@0', '1g.10gb@3'),
    slots: [],
    seats: [],
    instances: '1g.10gb@0 + 1g.10gb@3'
  },
  {
    name: 'an idle instance is used as it is',
    card: cardOf('1g.10gb@0', '1g.10gb@3'),
    slots: ['1g.10gb'],
    seats: ['1g.10gb@3'],
    instances: '1g.10gb@0 + 1g.10gb@3'
  },
  {
    name: 'as many idle instances as can be are used',
    card: cardOf('1g.10gb@0', '1g.10gb@2 1g.10gb@4'),
    slots: ['1g.10gb', '1g.10gb', '1g.10gb'],
    seats: ['1g.10gb@6', '1g.10gb@4', '1g.10gb@2'],
    instances: '1g.10gb@0 + 1g.10gb@2 + 1g.10gb@4 + 1g.10gb@6'
  },
  {
    name: 'idle instances in the way go, others stay',
    card: cardOf('1g.10gb@0', '1g.10gb@1 1g.10gb@6'),
    slots: ['3g.40gb'],
    seats: ['3g.40gb@4'],
    instances: '1g.10gb@0 + 1g.10gb@1 + 3g.40gb@4'
  },
  {
    name: 'an idle instance goes where the card has no slices left for it',
    card: cardOf('4g.40gb@0', '1g.10gb@4'),
    slots: ['2g.20gb', '1g.20gb'],
    seats: ['2g.20gb@4', '1g.20gb@6'],
    instances: '4g.40gb@0 + 2g.20gb@4 + 1g.20gb@6'
  },
  {
    name: 'seats come in the order of the slots',
    card: cardOf('1g.10gb@0'),
    slots: ['3g.40gb', '1g.10gb', '2g.20gb'],
    seats: ['3g.40gb@4', '1g.10gb@1', '2g.20gb@2'],
    instances: '1g.10gb@0 + 1g.10gb@1 + 2g.20gb@2 + 3g.40gb@4'
  }
]

for (const { name, card, slots, seats, instances } of cases) {
  t.test(`[PLAN5] ${name}`, (t) => {
    const laidOut = layOutBeside(a100, { card, slots })

    t.strictSame(laidOut?.seats.map(slotKey), seats)
    t.equal(tellInstances(laidOut?.instances ?? []), instances)
    t.end()
  })
}

const refused = [
  { name: 'a slot without room', card: cardOf('1g.10gb@0'), slots: ['7g.80gb'] },
  {
    name: 'one slot too many',
    card: cardOf('4g.40gb@0'),
    slots: ['1g.10gb', '1g.10gb', '1g.10gb', '1g.10gb']
  },
  { name: 'a slot that the model does not have', card: cardOf('1g.10gb@0'), slots: ['1g.6gb'] }
]

for (const { name, card, slots } of refused) {
  t.test(`[PLAN5] there is no place for ${name}`, (t) => {
    t.equal(layOutBeside(a100, { card, slots }), undefined)
    t.end()
  })
}

t.test('[PLAN5] of idle instances those come first in which pods were that come back', (t) => {
  const card = cardOf('1g.10gb@0 1g.10gb@3')
  const bare = { ...card, instances: card.instances.map(({ placement }) => ({ placement })) }

  for (const wanted of slotsOf('1g.10gb@0 1g.10gb@3')) {
    const laidOut = layOutBeside(a100, { card: bare, slots: ['1g.10gb'], wanted: [wanted] })

    t.strictSame(laidOut?.seats, [wanted])
  }
  t.end()
})
