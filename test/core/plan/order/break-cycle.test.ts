import t from 'tap'
import { type Blocker, blockerOf } from '../../../../src/core/plan/order/blocker.ts'
import { breakCycle } from '../../../../src/core/plan/order/break-cycle.ts'
import type { Course } from '../../../../src/core/plan/order/course.ts'
import type { PlanPod, PlanState } from '../../../../src/core/plan/plan-state.ts'
import { tellAction } from '../../../../src/core/plan/tell-action.ts'
import { aCourse, aState, type ShortTarget } from '../order-case.ts'

interface Case {
  readonly name: string
  readonly state: PlanState
  readonly target: ShortTarget
  readonly spares?: readonly string[]
  /** Pods whose blockers are looked at. */
  readonly from?: readonly string[]
  readonly want: readonly string[]
}

const swap = (pods: Readonly<Record<string, Partial<PlanPod>>>): PlanState =>
  aState(
    {
      m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' } } },
      n: { unit: 'card', cards: { b: { '1g.10gb@0': 'q' }, s: { '1g.10gb@0': '', '1g.10gb@1': '' } } }
    },
    pods
  )
const swapped = { moves: { p: 'n/b/1g.10gb@0', q: 'm/a/1g.10gb@0' } }

const cases: readonly Case[] = [
  {
    name: 'at the pod that costs least',
    state: swap({ p: { restartSeconds: 3 }, q: { restartSeconds: 2, replicasLost: 2 } }),
    target: swapped,
    want: ['park p from m/a/1g.10gb@0 until n/b/1g.10gb@0 is there']
  },
  {
    name: 'at the first by name where all cost the same',
    state: swap({}),
    target: swapped,
    want: ['park p from m/a/1g.10gb@0 until n/b/1g.10gb@0 is there']
  },
  {
    name: 'at the same one from wherever it is looked at',
    state: swap({}),
    target: swapped,
    from: ['q'],
    want: ['park p from m/a/1g.10gb@0 until n/b/1g.10gb@0 is there']
  },
  {
    name: 'by a spare card, at the pod that costs least',
    state: swap({ p: { restartSeconds: 3, slots: { a100: '7g.80gb' } }, q: { restartSeconds: 9 } }),
    target: swapped,
    spares: ['s'],
    want: ['lay out n: s 7g.80gb@0', 'move p from m/a/1g.10gb@0 to n/s/7g.80gb@0 for a while']
  },
  {
    name: 'where nobody waits, though that costs more',
    state: swap({ p: { restartSeconds: 3, slots: {} }, q: { restartSeconds: 9 } }),
    target: swapped,
    spares: ['s'],
    want: ['move q from n/b/1g.10gb@0 to n/s/1g.10gb@0 for a while']
  },
  {
    name: 'at a card that is laid out, by its pods that cannot leave',
    state: aState(
      {
        m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'o' } } },
        n: { unit: 'card', cards: { b: { '1g.10gb@0': 'q' }, f: { '1g.10gb@0': '' } } }
      },
      { p: { restartSeconds: 5 }, o: { restartSeconds: 99 } }
    ),
    target: {
      moves: { p: 'n/b/2g.20gb@0', o: 'n/f/1g.10gb@0', q: 'm/a/2g.20gb@0' },
      layouts: { a: '2g.20gb@0', b: '2g.20gb@0' }
    },
    want: [
      'move o from m/a/1g.10gb@1 to n/f/1g.10gb@0',
      'park p from m/a/1g.10gb@0 until n/b/2g.20gb@0 is there',
      'lay out m: a 2g.20gb@0'
    ]
  },
  {
    name: 'by all pods of a tenant at one time',
    state: aState(
      {
        m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'o', '1g.10gb@2': '' } } },
        n: { unit: 'card', cards: { b: { '1g.10gb@0': 'q', '1g.10gb@1': '', '1g.10gb@2': '' }, s: {} } }
      },
      { p: { tenant: 't' }, o: { tenant: 't' }, q: { tenant: 'u', restartSeconds: 99 } }
    ),
    target: { moves: { p: 'n/b/1g.10gb@1', o: 'n/b/1g.10gb@2', q: 'm/a/1g.10gb@2' } },
    spares: ['s'],
    want: [
      'lay out n: s 1g.10gb@5 + 1g.10gb@6',
      'move p from m/a/1g.10gb@0 to n/s/1g.10gb@5 for a while',
      'move o from m/a/1g.10gb@1 to n/s/1g.10gb@6 for a while'
    ]
  }
]

function firstBlocker({ board }: Course, from: readonly string[] = ['p', 'q']): Blocker {
  const found = from

    .filter((pod) => board.seats.has(pod))
    .flatMap((pod) => blockerOf(board, pod) ?? [])
    .at(0)
  if (found === undefined) throw new Error('nothing waits')
  return found
}

for (const { name, state, target, spares, from, want } of cases) {
  t.test(`[PLAN25] breaks a cycle ${name}`, (t) => {
    const course = aCourse(state, target, spares)

    t.not(breakCycle(course, firstBlocker(course, from)).length, 0)
    t.strictSame(course.steps.map(tellAction), want)
    t.end()
  })
}

t.test('[PLAN26] breaks nothing where what is waited for never comes', (t) => {
  const state = aState(
    {
      m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' } } },
      n: { unit: 'card', freeCpuMilli: 0, cards: { b: { '1g.10gb@0': '' } } }
    },
    { p: { cpuMilli: 1 } }
  )
  const course = aCourse(state, { moves: { p: 'n/b/1g.10gb@0' } })

  t.strictSame(breakCycle(course, firstBlocker(course)), [])
  t.strictSame(course.steps, [])
  t.end()
})
