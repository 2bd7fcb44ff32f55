import t from 'tap'
import { carryOut } from '../../../../src/core/plan/order/board.ts'
import { findSpareSeats } from '../../../../src/core/plan/order/spare-seats.ts'
import type { PlanPod } from '../../../../src/core/plan/plan-state.ts'
import { tellInstances, tellSeat } from '../../../../src/core/plan/seat.ts'
import { aCourse, aState, type ShortNode, type ShortTarget, seatOf } from '../order-case.ts'

interface Case {
  readonly name: string
  readonly spare: ShortNode
  readonly pods?: Readonly<Record<string, Partial<PlanPod>>>
  readonly who: readonly string[]
  readonly target?: ShortTarget
  readonly want: readonly string[] | undefined
}

const card = (slots: Readonly<Record<string, string>>): ShortNode => ({ unit: 'card', cards: { s: slots } })
const cases: readonly Case[] = [
  {
    name: 'one that is cut so already, as it is',
    spare: card({ '1g.10gb@0': '', '1g.10gb@1': '', '3g.40gb@4': '' }),
    who: ['p', 'q'],
    want: ['1g.10gb@0 + 1g.10gb@1 + 3g.40gb@4', 'p t/s/1g.10gb@0', 'q t/s/3g.40gb@4']
  },
  {
    name: 'one that can be cut so',
    spare: card({ '7g.80gb@0': '' }),
    who: ['p', 'q'],
    want: ['1g.10gb@3 + 3g.40gb@4', 'p t/s/1g.10gb@3', 'q t/s/3g.40gb@4']
  },
  {
    name: 'one that is cut alone, for a pod that had a card uncut',
    spare: card({ '7g.80gb@0': '' }),
    who: ['w'],
    want: ['uncut', 'w t/s/whole']
  },
  {
    name: 'an uncut one, for a pod that had a card uncut',
    spare: card({}),
    who: ['w'],
    want: ['uncut', 'w t/s/whole']
  },
  { name: 'none for two pods that want a card uncut', spare: card({}), who: ['w', 'x'], want: undefined },
  {
    name: 'none for a pod that wants a card uncut and another',
    spare: card({}),
    who: ['w', 'p'],
    want: undefined
  },
  { name: 'none for more than a card holds', spare: card({}), who: ['q', 'r', 'p'], want: undefined },
  {
    name: 'none for pods of two tenants',
    spare: card({}),
    pods: { p: { tenant: 't' } },
    who: ['p', 'q'],
    want: undefined
  },
  {
    name: 'none for a pod that has no slot in the pool',
    spare: card({}),
    pods: { p: { slots: {} } },
    who: ['p'],
    want: undefined
  },
  { name: 'none of another pool', spare: { ...card({}), pool: 'other' }, who: ['p'], want: undefined },
  {
    name: 'none where CPU is missing',
    spare: { ...card({}), freeCpuMilli: 3 },
    pods: { p: { cpuMilli: 2 }, q: { cpuMilli: 2 } },
    who: ['p', 'q'],
    want: undefined
  },
  {
    name: 'none where memory is missing',
    spare: { ...card({}), freeMemoryMiB: 3 },
    pods: { p: { memoryMiB: 4 } },
    who: ['p'],
    want: undefined
  },
  {
    name: 'none that is still to stop for its node',
    spare: { unit: 'node', cards: { s: { '1g.10gb@0': '' }, u: {} } },
    target: { layouts: { u: '7g.80gb@0' } },
    who: ['p'],
    want: undefined
  },
  {
    name: 'one for which a node without pods has to stop',
    spare: { unit: 'node', cards: { s: {}, u: {} } },
    who: ['q'],
    want: ['3g.40gb@4', 'q t/s/3g.40gb@4']
  },
  {
    name: 'none for which others would have to stop',
    spare: { unit: 'node', cards: { s: {}, u: { '1g.10gb@0': 'other' } } },
    who: ['p'],
    want: undefined
  },
  {
    name: 'none for which others would have to stop later',
    spare: { unit: 'node', cards: { s: {}, u: { '1g.10gb@0': '' } } },
    target: { moves: { q: 't/u/1g.10gb@0' } },
    who: ['p'],
    want: undefined
  },
  {
    name: 'one beside others, where it is cut so already',
    spare: { unit: 'node', cards: { s: { '1g.10gb@0': '' }, u: { '1g.10gb@0': 'other' } } },
    who: ['p'],
    want: ['1g.10gb@0', 'p t/s/1g.10gb@0']
  }
]

for (const { name, spare, pods, who, target = {}, want } of cases) {
  t.test(`[PLAN25] finds ${name}`, (t) => {
    const full = {
      a: { '1g.10gb@0': 'p', '3g.40gb@4': 'q' },
      b: { whole: 'w' },
      c: { whole: 'x' },
      d: { '7g.80gb@0': 'r' }
    }
    const state = aState({ n: { unit: 'card', cards: full }, t: spare }, pods)
    const [pool] = state.pools
    const pools = pool === undefined ? [] : [pool, { ...pool, id: 'other' }]
    const { board } = aCourse({ ...state, pools }, target)

    const found = findSpareSeats(board, ['s'], who)

    t.strictSame(
      found && [tellInstances(found.layout), ...found.seats.map(({ pod, to }) => `${pod} ${tellSeat(to)}`)],
      want
    )
    t.end()
  })
}

t.test('[PLAN25] passes over a spare card that is taken, and profiles that may not be cut', (t) => {
  const state = aState({
    n: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, s: { '1g.10gb@0': '' }, u: {} } }
  })
  const { board } = aCourse(state, {})
  const strict = aCourse({ ...state, pools: state.pools.map((pool) => ({ ...pool, profiles: [] })) }, {})

  t.equal(findSpareSeats(board, ['s', 'u'], ['p'])?.card.id, 's')
  carryOut(board, {
    kind: 'move',
    node: 'n',
    pod: 'p',
    from: seatOf('n/a/1g.10gb@0'),
    to: seatOf('n/s/1g.10gb@0'),
    purpose: 'to-spare'
  })
  t.equal(findSpareSeats(board, ['s', 'u'], ['q'])?.card.id, 'u')
  t.equal(findSpareSeats(strict.board, ['u'], ['p']), undefined)
  t.end()
})
