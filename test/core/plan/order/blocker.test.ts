import t from 'tap'
import {
  type Blocker,
  blockerKey,
  blockerOf,
  isSlotMissing,
  nodeBehind
} from '../../../../src/core/plan/order/blocker.ts'
import { cardOn } from '../../../../src/core/plan/order/board.ts'
import type { PlanPod } from '../../../../src/core/plan/plan-state.ts'
import { aCourse, aState, type ShortNode, type ShortTarget, seatOf } from '../order-case.ts'

interface Case {
  readonly name: string
  readonly nodes: Readonly<Record<string, ShortNode>>
  readonly pods?: Readonly<Record<string, Partial<PlanPod>>>
  readonly target: ShortTarget
  /** Key of what keeps the pod `p`, and the node where it is. */
  readonly want: readonly [string, string | undefined] | undefined
}

const home: ShortNode = { unit: 'card', cards: { h: { '1g.10gb@0': 'p' } } }
const cases: readonly Case[] = [
  {
    name: '[PLAN21] nothing keeps a pod whose place is idle',
    nodes: { a: home, n: { unit: 'card', cards: { c: { '1g.10gb@0': '' } } } },
    target: { moves: { p: 'n/c/1g.10gb@0' } },
    want: undefined
  },
  {
    name: '[PLAN22] a card that is still to be laid out does',
    nodes: { a: home, n: { unit: 'card', cards: { c: {} } } },
    target: { moves: { p: 'n/c/1g.10gb@0' }, layouts: { c: '1g.10gb@0' } },
    want: ['block n/c', 'n']
  },
  {
    name: '[PLAN21] a pod in its place does',
    nodes: { a: home, n: { unit: 'card', cards: { c: { '1g.10gb@0': 'q' }, d: { '1g.10gb@0': '' } } } },
    target: { moves: { p: 'n/c/1g.10gb@0', q: 'n/d/1g.10gb@0' } },
    want: ['pods q', 'n']
  },
  {
    name: '[PLAN21] a pod that has the card uncut does',
    nodes: { a: home, n: { unit: 'instance', cards: { c: { whole: 'q' }, d: {} } } },
    target: { moves: { p: 'n/c/1g.10gb@0', q: 'n/d/whole' }, layouts: { c: '1g.10gb@0' } },
    want: ['pods q', 'n']
  },
  {
    name: '[PLAN21] nothing keeps one whose instance can be made',
    nodes: { a: home, n: { unit: 'instance', cards: { c: {} } } },
    target: { moves: { p: 'n/c/1g.10gb@0' }, layouts: { c: '1g.10gb@0' } },
    want: undefined
  },
  {
    name: '[PLAN21] pods do in whose place the instance is to be made',
    nodes: { a: home, n: { unit: 'instance', cards: { c: { '1g.10gb@0': 'q' } } } },
    target: { moves: { p: 'n/c/3g.40gb@0', q: 'n/c/1g.10gb@4' }, layouts: { c: '3g.40gb@0 1g.10gb@4' } },
    want: ['pods q', 'n']
  },
  {
    name: '[PLAN21] pods do on a card that is to be given away uncut',
    nodes: { a: home, n: { unit: 'instance', cards: { c: { '1g.10gb@0': 'q' }, d: { '1g.10gb@0': '' } } } },
    target: { moves: { p: 'n/c/whole', q: 'n/d/1g.10gb@0' }, layouts: { c: '' } },
    want: ['pods q', 'n']
  },
  {
    name: '[PLAN21] idle instances of a card that is to be given away uncut do not',
    nodes: { a: home, n: { unit: 'instance', cards: { c: { '1g.10gb@0': '' } } } },
    target: { moves: { p: 'n/c/whole' }, layouts: { c: '' } },
    want: undefined
  },
  {
    name: '[PLAN24] pods of another tenant on the card do',
    nodes: {
      a: home,
      n: { unit: 'card', cards: { c: { '1g.10gb@0': '', '1g.10gb@1': 'q' }, d: { '1g.10gb@0': '' } } }
    },
    pods: { q: { tenant: 't' } },
    target: { moves: { p: 'n/c/1g.10gb@0', q: 'n/d/1g.10gb@0' } },
    want: ['pods q', 'n']
  },
  {
    name: '[PLAN26] a pod does that will leave CPU and memory that are missing',
    nodes: {
      a: home,
      n: {
        unit: 'card',
        freeMemoryMiB: 0,
        cards: { c: { '1g.10gb@0': '', '1g.10gb@1': 'q' }, d: { '1g.10gb@0': 'r' } }
      },
      o: { unit: 'card', cards: { e: { '1g.10gb@0': '' } } }
    },
    pods: { p: { memoryMiB: 1 }, q: { memoryMiB: 9 }, r: { memoryMiB: 9 } },
    target: { moves: { p: 'n/c/1g.10gb@0', r: 'o/e/1g.10gb@0' } },
    want: ['pods r', 'n']
  },
  {
    name: '[PLAN26] a card does that is laid out and whose pod will leave them',
    nodes: {
      a: home,
      n: { unit: 'card', freeCpuMilli: 0, cards: { c: { '1g.10gb@0': '' }, d: { '1g.10gb@0': 'r' } } },
      o: { unit: 'card', cards: { e: { '1g.10gb@0': '' } } }
    },
    pods: { p: { cpuMilli: 1 }, r: { cpuMilli: 9 } },
    target: { moves: { p: 'n/c/1g.10gb@0', r: 'o/e/1g.10gb@0' }, layouts: { d: '' } },
    want: ['block n/d', 'n']
  },
  {
    name: '[PLAN26] CPU does that is never there',
    nodes: { a: home, n: { unit: 'card', freeCpuMilli: 0, cards: { c: { '1g.10gb@0': '' } } } },
    pods: { p: { cpuMilli: 1 } },
    target: { moves: { p: 'n/c/1g.10gb@0' } },
    want: ['n/c/1g.10gb@0 has no CPU or memory left for p', undefined]
  },
  {
    name: '[PLAN26] CPU does not for a pod that has it on the node already',
    nodes: {
      n: { unit: 'card', freeCpuMilli: 0, cards: { c: { '1g.10gb@0': '' }, d: { '1g.10gb@0': 'p' } } }
    },
    pods: { p: { cpuMilli: 1 } },
    target: { moves: { p: 'n/c/1g.10gb@0' } },
    want: undefined
  }
]

for (const { name, nodes, pods, target, want } of cases) {
  t.test(name, (t) => {
    const blocker: Blocker | undefined = blockerOf(aCourse(aState(nodes, pods), target).board, 'p')

    t.strictSame(blocker && [blockerKey(blocker), nodeBehind(blocker)], want)
    t.end()
  })
}

t.test('[PLAN21] says whether a slot is to be made', (t) => {
  const { board } = aCourse(aState({ n: { unit: 'card', cards: { c: { '1g.10gb@0': '' }, d: {} } } }), {})
  const isMissing = (seat: string): boolean => isSlotMissing(cardOn(board, seatOf(seat).card), seatOf(seat))

  t.strictSame(['n/c/1g.10gb@0', 'n/c/1g.10gb@1', 'n/c/whole', 'n/d/whole'].map(isMissing), [
    false,
    true,
    true,
    false
  ])
  t.end()
})
