import t from 'tap'
import type { OpenSeat } from '../../../../src/core/plan/frontier/seat-pods.ts'
import { targetOf } from '../../../../src/core/plan/frontier/target-of.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { tellInstances, tellSeat } from '../../../../src/core/plan/seat.ts'
import type { Seat, Target } from '../../../../src/core/plan/target.ts'
import { seatOf, slotOf, slotsOf } from '../order-case.ts'
import { aDrain } from './drain-case.ts'

/** Who takes which seat: kind, seat, and the whole layout of a card that is laid out anew. */
type Taken = Readonly<Record<string, readonly [OpenSeat['kind'], string, string?]>>

function targetFor(state: PlanState, taken: Taken, pool = 'a100'): Target {
  const seats = Object.entries(taken).map(([pod, [kind, text, layout = '']]): readonly [string, OpenSeat] => {
    const { node: nodeId, card: cardId } = seatOf(text)
    const slot = text.split('/')[2] ?? ''
    const node = state.nodes.find(({ id }) => id === nodeId)
    const card = node?.cards.find(({ id }) => id === cardId)
    if (node === undefined || card === undefined) throw new Error(`no ${text}`)
    return [
      pod,
      {
        ref: { node, card },
        pool,
        tenant: undefined,
        slot: slot.split('@')[0] ?? '',
        kind,
        placement: slotOf(slot),
        layout: slotsOf(layout).toReversed()
      }
    ]
  })
  const leaving = state.nodes.flatMap(({ id: node, cards }) =>
    cards.flatMap(({ id: card, instances, wholePod }): readonly (readonly [string, Seat])[] => [
      ...(wholePod === undefined ? [] : [[wholePod, { node, card }] as const]),
      ...instances.flatMap(({ pod, placement }) =>
        pod === undefined ? [] : [[pod, { node, card, placement }] as const]
      )
    ])
  )
  const isLeaving = new Set([...Object.keys(taken), 'left'])
  return targetOf(state, {
    leaving: new Map(leaving.filter(([pod]) => isLeaving.has(pod)).toReversed()),
    taken: new Map(seats)
  })
}

/** A target in words. */
function told({ moves, layouts, freedCards, freedNodes }: Target): unknown {
  return {
    moves: moves.map(({ pod, from, to }) => `${pod}: ${tellSeat(from)} to ${tellSeat(to)}`),
    layouts: layouts.map(({ node, card, instances }) => `${node}/${card}: ${tellInstances(instances)}`),
    freed: [...freedCards, ...freedNodes].join()
  }
}

const state = aDrain(
  {
    k: { unit: 'node', cards: { f: { '1g.10gb@0': 'u' }, g: {} } },
    m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' } } },
    n: { unit: 'instance', cards: { b: { '1g.10gb@0': 'r', '1g.10gb@2': '' }, c: { whole: 's' } } },
    o: { unit: 'card', cards: { d: {}, e: { '1g.10gb@0': '', '1g.10gb@1': '' } } }
  },
  { profiles: ['1g.10gb', '3g.40gb'] }
)

interface Case {
  readonly name: string
  readonly taken: Taken
  readonly want: unknown
}

const cases: readonly Case[] = [
  {
    name: '[PLAN5] idle instances are used as they are, and a card and its node are free',
    taken: { q: ['as-is', 'o/e/1g.10gb@1'], p: ['as-is', 'o/e/1g.10gb@0'] },
    want: {
      moves: ['p: m/a/1g.10gb@0 to o/e/1g.10gb@0', 'q: m/a/1g.10gb@1 to o/e/1g.10gb@1'],
      layouts: [],
      freed: 'a,m'
    }
  },
  {
    name: '[PLAN5] beside pods that run, an idle instance is used first and another created',
    taken: { p: ['beside', 'n/b/1g.10gb@1'], q: ['beside', 'n/b/1g.10gb@2'] },
    want: {
      moves: ['p: m/a/1g.10gb@0 to n/b/1g.10gb@6', 'q: m/a/1g.10gb@1 to n/b/1g.10gb@2'],
      layouts: ['n/b: 1g.10gb@0 + 1g.10gb@2 + 1g.10gb@6'],
      freed: 'a,m'
    }
  },
  {
    name: '[PLAN5] beside pods that run nothing changes where an idle instance does',
    taken: { p: ['beside', 'n/b/1g.10gb@5'] },
    want: { moves: ['p: m/a/1g.10gb@0 to n/b/1g.10gb@2'], layouts: [], freed: '' }
  },
  {
    name: '[PLAN2] an empty card is laid out, and a node on which a pod stays is not free',
    taken: { r: ['fill', 'o/d/3g.40gb@4', '1g.10gb@0 3g.40gb@4'] },
    want: {
      moves: ['r: n/b/1g.10gb@0 to o/d/3g.40gb@4'],
      layouts: ['o/d: 1g.10gb@0 + 3g.40gb@4'],
      freed: 'b'
    }
  },
  {
    name: '[PLAN2] a card that is laid out so already does not change',
    taken: { r: ['fill', 'o/e/1g.10gb@1', '1g.10gb@0 1g.10gb@1'] },
    want: { moves: ['r: n/b/1g.10gb@0 to o/e/1g.10gb@1'], layouts: [], freed: 'b' }
  },
  {
    name: '[PLAN2] a card that is given away uncut loses its instances',
    taken: { s: ['fill', 'o/e/whole'] },
    want: { moves: ['s: n/c/whole to o/e/whole'], layouts: ['o/e: uncut'], freed: 'c' }
  },
  {
    name: '[PLAN2] a card that was uncut and is given away uncut does not change',
    taken: { s: ['fill', 'n/c/whole'] },
    want: { moves: [], layouts: [], freed: '' }
  },
  {
    name: '[PLAN4] a pod that would come back to its seat stays where its card does not change',
    taken: {
      p: ['fill', 'm/a/1g.10gb@0', '1g.10gb@0 1g.10gb@1'],
      q: ['as-is', 'o/e/1g.10gb@1']
    },
    want: { moves: ['q: m/a/1g.10gb@1 to o/e/1g.10gb@1'], layouts: [], freed: '' }
  },
  {
    name: '[PLAN4] a pod that comes back to its seat moves where its card changes as a whole',
    taken: {
      p: ['fill', 'm/a/1g.10gb@0', '1g.10gb@0 3g.40gb@4'],
      q: ['fill', 'm/a/3g.40gb@4', '1g.10gb@0 3g.40gb@4']
    },
    want: {
      moves: ['p: m/a/1g.10gb@0 to m/a/1g.10gb@0', 'q: m/a/1g.10gb@1 to m/a/3g.40gb@4'],
      layouts: ['m/a: 1g.10gb@0 + 3g.40gb@4'],
      freed: ''
    }
  },
  {
    name: '[PLAN4] a pod that would come back to its seat stays where instances are made one by one',
    taken: {
      p: ['fill', 'n/b/3g.40gb@4', '1g.10gb@0 3g.40gb@4'],
      r: ['fill', 'n/b/1g.10gb@0', '1g.10gb@0 3g.40gb@4']
    },
    want: {
      moves: ['p: m/a/1g.10gb@0 to n/b/3g.40gb@4'],
      layouts: ['n/b: 1g.10gb@0 + 1g.10gb@2 + 3g.40gb@4'],
      freed: ''
    }
  },
  {
    name: '[PLAN4] a pod that comes back to its seat moves where another card of its node changes',
    taken: { u: ['fill', 'k/f/1g.10gb@0', '1g.10gb@0'], r: ['fill', 'k/g/1g.10gb@0', '1g.10gb@0'] },
    want: {
      moves: ['r: n/b/1g.10gb@0 to k/g/1g.10gb@0', 'u: k/f/1g.10gb@0 to k/f/1g.10gb@0'],
      layouts: ['k/g: 1g.10gb@0'],
      freed: 'b'
    }
  },
  {
    name: '[PLAN4] a pod that would come back to its seat stays where no card of its node changes',
    taken: { u: ['fill', 'k/f/1g.10gb@0', '1g.10gb@0'] },
    want: { moves: [], layouts: [], freed: '' }
  },
  {
    name: '[PLAN4] pods that come back to their card moved, and the card is not free',
    taken: {
      p: ['fill', 'm/a/3g.40gb@4', '3g.40gb@0 3g.40gb@4'],
      q: ['fill', 'm/a/3g.40gb@0', '3g.40gb@0 3g.40gb@4']
    },
    want: {
      moves: ['p: m/a/1g.10gb@0 to m/a/3g.40gb@4', 'q: m/a/1g.10gb@1 to m/a/3g.40gb@0'],
      layouts: ['m/a: 3g.40gb@0 + 3g.40gb@4'],
      freed: ''
    }
  },
  {
    name: '[PLAN2] nothing changes where nobody leaves',
    taken: {},
    want: { moves: [], layouts: [], freed: '' }
  }
]

for (const { name, taken, want } of cases) {
  t.test(name, (t) => {
    t.strictSame(told(targetFor(state, taken)), want)
    t.end()
  })
}

t.test('[PLAN3] who would come back moves where its instance is in the way of another', (t) => {
  const target = targetFor(state, {
    r: ['fill', 'n/b/2g.20gb@4', '4g.40gb@0 2g.20gb@4'],
    p: ['fill', 'n/b/4g.40gb@0', '4g.40gb@0 2g.20gb@4']
  })

  t.strictSame(
    target.moves.map(({ pod }) => pod),
    ['p', 'r']
  )
  t.end()
})

t.test('[PLAN10] layouts come by card, freed cards and nodes by name', (t) => {
  const target = targetFor(state, {
    r: ['fill', 'o/e/3g.40gb@0', '3g.40gb@0'],
    p: ['fill', 'o/d/3g.40gb@0', '3g.40gb@0'],
    q: ['fill', 'o/d/3g.40gb@4', '3g.40gb@0'],
    s: ['fill', 'o/e/3g.40gb@4', '3g.40gb@0']
  })

  t.strictSame(
    target.layouts.map(({ card }) => card),
    ['d', 'e']
  )
  t.strictSame(target.freedCards, ['a', 'b', 'c'])
  t.strictSame(target.freedNodes, ['m', 'n'])
  t.end()
})

t.test('[PLAN2] what has no seat or no pool does not move', (t) => {
  t.strictSame(targetFor(state, { p: ['as-is', 'o/e/1g.10gb@0'] }, 'z').moves, [])
  t.strictSame(
    targetOf(state, { leaving: new Map([['p', seatOf('m/a/1g.10gb@0')]]), taken: new Map() }).moves,
    []
  )
  t.end()
})
