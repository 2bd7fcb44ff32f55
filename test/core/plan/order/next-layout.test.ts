import t from 'tap'
import { cardOn } from '../../../../src/core/plan/order/board.ts'
import { nextLayout, podsInTheWay } from '../../../../src/core/plan/order/next-layout.ts'
import { tellInstances } from '../../../../src/core/plan/seat.ts'
import { aCourse, aState, slotsOf } from '../order-case.ts'

interface Case {
  readonly name: string
  readonly slots: Readonly<Record<string, string>>
  readonly wanted: string
  readonly moves?: Readonly<Record<string, string>>
  readonly want: string
  /** A wanted instance that cannot be made yet, and who is in its way. */
  readonly blocked?: readonly [string, readonly string[]]
}

const cases: readonly Case[] = [
  {
    name: 'makes all that is wanted of an idle card',
    slots: { '7g.80gb@0': '' },
    wanted: '1g.10gb@0',
    want: '1g.10gb@0'
  },
  {
    name: 'keeps what runs and what is wanted, and deletes what is idle and not wanted',
    slots: { '1g.10gb@0': 'p', '1g.10gb@1': '', '1g.10gb@2': '' },
    wanted: '1g.10gb@2 3g.40gb@4',
    want: '1g.10gb@0 + 1g.10gb@2 + 3g.40gb@4'
  },
  {
    name: 'makes nothing in the place of what runs',
    slots: { '1g.10gb@0': 'p', '1g.10gb@4': 'q', '1g.10gb@5': 'r' },
    wanted: '3g.40gb@4',
    want: '1g.10gb@0 + 1g.10gb@4 + 1g.10gb@5',
    blocked: ['3g.40gb@4', ['q', 'r']]
  },
  {
    name: 'makes nothing of which there may be one only, while it runs',
    slots: { '1g.10gb+me@0': 'p', '1g.10gb@1': 'q' },
    wanted: '1g.10gb+me@2',
    want: '1g.10gb+me@0 + 1g.10gb@1',
    blocked: ['1g.10gb+me@2', ['p']]
  },
  {
    name: 'waits for all where each alone takes too much',
    slots: { '1g.10gb@2': 'p', '1g.10gb@3': 'q', '1g.10gb@4': 'r', '1g.10gb@5': 's', '1g.20gb@0': 'u' },
    wanted: '4g.40gb@0',
    want: '1g.20gb@0 + 1g.10gb@2 + 1g.10gb@3 + 1g.10gb@4 + 1g.10gb@5',
    blocked: ['4g.40gb@0', ['u', 'p', 'q']]
  },
  {
    name: 'leaves a card alone that a pod has uncut',
    slots: { whole: 'w' },
    wanted: '1g.10gb@0',
    want: 'uncut'
  },
  {
    name: 'makes room for pods of the card itself first',
    slots: { '3g.40gb@4': 'p', '1g.10gb@0': '' },
    wanted: '1g.10gb@1 4g.40gb@0',
    moves: { p: 'n/c/4g.40gb@0' },
    want: '4g.40gb@0 + 3g.40gb@4'
  }
]

for (const { name, slots, wanted, moves = {}, want, blocked } of cases) {
  t.test(`[PLAN21] ${name}`, (t) => {
    const { board } = aCourse(aState({ n: { unit: 'instance', cards: { c: slots } } }), {
      moves,
      layouts: { c: wanted }
    })
    const card = cardOn(board, 'c')

    t.equal(tellInstances(nextLayout(board, card)), want)
    const next = slotsOf(blocked?.[0] ?? '')
    t.strictSame(
      next.flatMap((placement) => podsInTheWay(board, card, placement)),
      blocked?.[1] ?? []
    )
    t.end()
  })
}

t.test('[PLAN21] where no single pod is in the way, all are that leave', (t) => {
  const slots = { '2g.20gb@0': 'p', '2g.20gb@2': 'q', '1g.10gb@4': 'r', '1g.10gb@5': 's' }
  const { board } = aCourse(aState({ n: { unit: 'instance', cards: { c: slots } } }), {
    layouts: { c: '2g.20gb@4' }
  })

  t.strictSame(podsInTheWay(board, cardOn(board, 'c'), { profile: '4g.40gb', start: 6, size: 2 }), [
    'p',
    'q',
    'r',
    's'
  ])
  t.end()
})
