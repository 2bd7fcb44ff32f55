import t from 'tap'
import { checkTarget } from '../../../../src/core/plan/order/check-target.ts'
import { setUpBoard } from '../../../../src/core/plan/order/set-up-board.ts'
import type { PlanPod } from '../../../../src/core/plan/plan-state.ts'
import { aState, aTarget, type ShortNode, type ShortTarget, seatOf, slotsOf } from '../order-case.ts'

const nodes = (over: Partial<ShortNode> = {}): Readonly<Record<string, ShortNode>> => ({
  m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, b: {} }, ...over },
  n: { unit: 'card', cards: { c: { '1g.10gb@0': '', '1g.10gb@1': '' }, d: { '1g.10gb@0': 'r' }, s: {} } }
})

interface Case {
  readonly name: string
  readonly over?: Partial<ShortNode>
  readonly pods?: Readonly<Record<string, Partial<PlanPod>>>
  readonly target: ShortTarget
  readonly spares?: readonly string[]
  readonly want: string | undefined
}

const cases: readonly Case[] = [
  { name: 'nothing', target: {}, want: undefined },
  {
    name: 'moves to idle places and new instances, and a spare card',
    target: {
      moves: { p: 'n/c/1g.10gb@0', q: 'm/b/3g.40gb@4' },
      layouts: { b: '3g.40gb@4' },
      freedCards: ['a']
    },
    spares: ['s'],
    want: undefined
  },
  {
    name: 'two pods in one place',
    target: { moves: { p: 'm/a/1g.10gb@1' } },
    want: 'seat m/a/1g.10gb@1 is named twice'
  },
  {
    name: 'a place that is not there',
    target: { moves: { p: 'm/a/1g.10gb@2' } },
    want: 'a has no 1g.10gb@2 in the end'
  },
  {
    name: 'a pod beside instances that has the card uncut',
    target: { moves: { p: 'n/c/whole' } },
    want: 'c has no whole in the end'
  },
  {
    name: 'an instance that goes while its pod stays',
    target: { layouts: { a: '1g.10gb@0' } },
    want: 'a has no 1g.10gb@1 in the end'
  },
  {
    name: 'instances that do not fit together',
    target: { layouts: { b: '3g.40gb@4 4g.40gb@4' } },
    want: 'b cannot hold 3g.40gb@4 + 4g.40gb@4'
  },
  {
    name: 'an instance where none may be',
    target: { layouts: { b: '3g.40gb@1' } },
    want: 'b cannot hold 3g.40gb@1'
  },
  {
    name: 'a pod that stays and is moved',
    pods: { p: { stays: 'its budget' } },
    target: { moves: { p: 'n/c/1g.10gb@0' } },
    want: 'p stays: its budget'
  },
  {
    name: 'a pod that stays and would be stopped',
    pods: { p: { stays: 'its budget' } },
    target: { layouts: { b: '7g.80gb@0' } },
    want: 'p would be stopped, but stays: its budget'
  },
  {
    name: 'a node that stays',
    over: { stays: 'it is not ours' },
    target: { moves: { p: 'n/c/1g.10gb@0' } },
    want: 'card a stays: it is not ours'
  },
  {
    name: 'two tenants on one card',
    pods: { p: { tenant: 't1' }, r: { tenant: 't2' } },
    target: { moves: { p: 'n/c/1g.10gb@0', r: 'n/c/1g.10gb@1' } },
    want: 'c would hold two tenants'
  },
  { name: 'two tenants that are there already', pods: { p: { tenant: 't1' } }, target: {}, want: undefined },
  {
    name: 'two tenants that would come back to a card',
    pods: { p: { tenant: 't1' } },
    target: { layouts: { b: '7g.80gb@0' } },
    want: 'a would hold two tenants'
  },
  {
    name: 'a card that is not free in the end',
    target: { freedCards: ['a'] },
    want: 'a is to be free and is not'
  },
  {
    name: 'a node that is not free in the end',
    target: { freedNodes: ['n'] },
    want: 'd is to be free and is not'
  },
  { name: 'a spare card in use', target: {}, spares: ['d'], want: 'spare d is in use' },
  {
    name: 'a spare card that the target cuts',
    target: { layouts: { s: '7g.80gb@0' } },
    spares: ['s'],
    want: 'spare s is in use'
  },
  {
    name: 'a spare card that is named twice',
    target: {},
    spares: ['s', 's'],
    want: 'spare s is named twice'
  },
  {
    name: 'pods that leave a node that was cordoned',
    over: { isCordoned: true },
    target: { moves: { p: 'n/c/1g.10gb@0' } },
    want: undefined
  },
  {
    name: 'a pod that comes to a node that was cordoned',
    over: { isCordoned: true },
    target: { moves: { r: 'm/a/1g.10gb@0', p: 'n/c/1g.10gb@0' } },
    want: 'm is cordoned, and r would come to it'
  },
  {
    name: 'a pod that goes elsewhere on a node that was cordoned',
    over: { isCordoned: true, cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': '' } } },
    target: { moves: { p: 'm/a/1g.10gb@1' } },
    want: 'm is cordoned, and p would come to it'
  },
  {
    name: 'pods that would come back to a node that was cordoned',
    over: { isCordoned: true },
    target: { layouts: { b: '7g.80gb@0' }, moves: { p: 'n/c/1g.10gb@0' } },
    want: 'm is cordoned, and q would come to it'
  },
  {
    name: 'a spare card on a node that was cordoned',
    over: { isCordoned: true },
    target: {},
    spares: ['b'],
    want: 'spare b is on m, which is cordoned'
  },
  {
    name: 'a spare card on a node that stays',
    over: { stays: 'it is not ours' },
    target: {},
    spares: ['b'],
    want: 'spare b stays: it is not ours'
  }
]

for (const { name, over, pods, target, spares = [], want } of cases) {
  t.test(`[PLAN20] ${want === undefined ? 'takes' : 'refuses'} ${name}`, (t) => {
    const state = aState(nodes(over), pods)
    const full = aTarget(state, target)
    const check = (): void => checkTarget({ board: setUpBoard(state, full), target: full, spares })

    if (want === undefined) t.doesNotThrow(check)
    else t.throws(check, { code: 'PLAN_INVALID', message: `the target cannot be reached: ${want}` })
    t.end()
  })
}

t.test('[PLAN20] refuses a card that stays, on its own or on a node that stops', (t) => {
  const stays = 'it is not ours'
  const base = aState(nodes())
  const state = {
    ...base,
    nodes: base.nodes.map((node) => ({
      ...node,
      cards: node.cards.map((card) => (card.id === 'a' ? { ...card, stays } : card))
    }))
  }
  const check = (short: ShortTarget): void => {
    const target = aTarget(state, short)
    checkTarget({ board: setUpBoard(state, target), target, spares: [] })
  }

  t.throws(() => check({ moves: { r: 'm/a/1g.10gb@0', p: 'n/c/1g.10gb@0' } }), {
    message: /card a stays: it is not ours$/
  })
  t.throws(() => check({ layouts: { b: '7g.80gb@0' } }), {
    message: /p would be stopped, but stays: it is not ours$/
  })
  t.end()
})

t.test('[PLAN20] refuses moves from where a pod is not, and cards on another node', (t) => {
  const state = aState(nodes())
  const none = { moves: [], layouts: [], freedCards: [], freedNodes: [] }
  const check = (over: Partial<ReturnType<typeof aTarget>>): void => {
    const target = { ...none, ...over }
    checkTarget({ board: setUpBoard(state, target), target, spares: [] })
  }
  const move = { pod: 'p', from: seatOf('m/a/1g.10gb@0'), to: seatOf('n/c/1g.10gb@0') }

  t.doesNotThrow(() => check({ moves: [move] }))
  t.throws(() => check({ moves: [{ ...move, from: seatOf('n/d/1g.10gb@0') }] }), {
    message: /: p does not run in n\/d\/1g.10gb@0$/
  })
  t.throws(() => check({ moves: [move, move] }), { message: /: pod p is named twice$/ })
  t.throws(() => check({ layouts: [{ node: 'n', card: 'b', instances: slotsOf('7g.80gb@0') }] }), {
    message: /: card b is not on n$/
  })
  t.end()
})

t.test('[PLAN20] refuses a pod that has no place to leave', (t) => {
  const base = aState(nodes())
  const state = {
    ...base,
    pods: [...base.pods, { id: 'lost', workload: 'w', slots: {}, restartSeconds: 1, replicasLost: 1 }]
  }
  const target = {
    moves: [{ pod: 'lost', from: seatOf('m/a/1g.10gb@0'), to: seatOf('n/c/1g.10gb@0') }],
    layouts: [],
    freedCards: [],
    freedNodes: []
  }

  t.throws(() => checkTarget({ board: setUpBoard(state, target), target, spares: [] }), {
    message: /: lost does not run in m\/a\/1g.10gb@0$/
  })
  t.end()
})

t.test(
  '[PLAN33] refuses whatever touches a card that pods share, and pods that share one or have several',
  (t) => {
    const base = aState(nodes())
    const state = {
      ...base,
      nodes: base.nodes.map((node) => ({
        ...node,
        cards: node.cards.map((card) =>
          card.id === 'b' || card.id === 's' ? { ...card, sharedPods: ['y', 'r'] } : card
        )
      }))
    }
    const check = (short: ShortTarget, spares: readonly string[] = []): void => {
      const target = aTarget(state, short)
      checkTarget({ board: setUpBoard(state, target), target, spares })
    }

    t.doesNotThrow(() => check({ moves: { p: 'n/c/1g.10gb@0' } }))
    t.throws(() => check({ layouts: { s: '7g.80gb@0' } }), {
      message: /: card s stays: r, y share it or have several cards$/
    })
    t.throws(() => check({ moves: { p: 'm/b/whole' } }), {
      message: /: card b stays: r, y share it or have several cards$/
    })
    t.throws(() => check({ layouts: { a: '1g.10gb@0 1g.10gb@1 1g.10gb@2' } }), {
      message: /: r would be stopped, but stays: it shares a card or has several$/
    })
    t.throws(() => check({ moves: { r: 'n/c/1g.10gb@0' } }), {
      message: /: r stays: it shares a card or has several$/
    })
    t.throws(() => check({ freedCards: ['b'] }), { message: /: b is to be free and is not$/ })
    t.throws(() => check({}, ['s']), { message: /: spare s stays: r, y share it or have several cards$/ })
    t.end()
  }
)

t.test('[PLAN32] refuses budgets that are named twice, or allow no whole number', (t) => {
  const budget = { id: 'w', pods: ['p', 'q'], disruptionsAllowed: 1 }
  const check = (budgets: readonly (typeof budget)[]): void => {
    const state = { ...aState(nodes()), budgets }
    const target = aTarget(state, {})
    checkTarget({ board: setUpBoard(state, target), target, spares: [] })
  }

  t.doesNotThrow(() => check([budget, { ...budget, id: 'v', disruptionsAllowed: 0 }]))
  t.throws(() => check([budget, budget]), { message: /: budget w is named twice$/ })
  for (const disruptionsAllowed of [-1, 0.5, Number.NaN]) {
    t.throws(() => check([{ ...budget, disruptionsAllowed }]), {
      message: /: budget w allows .*, which is no whole number$/
    })
  }
  t.end()
})
