import t from 'tap'
import { aState, type OrderCase, testOrder, told } from '../order-case.ts'

const cases: readonly OrderCase[] = [
  {
    name: '[PLAN25] breaks a cycle by a spare card, which is left as it was',
    state: aState({
      n: {
        unit: 'card',
        cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'o' }, b: { '2g.20gb@0': 'q' }, s: { '7g.80gb@0': '' } }
      }
    }),
    target: {
      moves: { p: 'n/b/1g.10gb@0', o: 'n/b/1g.10gb@2', q: 'n/a/2g.20gb@2' },
      layouts: { a: '2g.20gb@2', b: '1g.10gb@0 1g.10gb@2' }
    },
    spares: ['s'],
    want: [
      'lay out n: s 2g.20gb@4',
      'move q from n/b/2g.20gb@0 to n/s/2g.20gb@4 for a while',
      'lay out n: b 1g.10gb@0 + 1g.10gb@2',
      'move p from n/a/1g.10gb@0 to n/b/1g.10gb@0',
      'move o from n/a/1g.10gb@1 to n/b/1g.10gb@2',
      'lay out n: a 2g.20gb@2',
      'move q from n/s/2g.20gb@4 to n/a/2g.20gb@2',
      'lay out n: s 7g.80gb@0'
    ]
  },
  {
    name: '[PLAN25] where there is no spare card, the pods of the place that costs least wait',
    state: aState(
      { n: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' } } } },
      { p: { restartSeconds: 60, replicasLost: 2 }, q: { restartSeconds: 100 } }
    ),
    target: { moves: { p: 'n/b/1g.10gb@0', q: 'n/a/1g.10gb@0' } },
    want: [
      'park q from n/b/1g.10gb@0 until n/a/1g.10gb@0 is there',
      'move p from n/a/1g.10gb@0 to n/b/1g.10gb@0',
      'resume q in n/a/1g.10gb@0'
    ]
  },
  {
    name: '[PLAN25] breaks at the cycle, not at what only waits for it',
    state: aState(
      {
        a: { unit: 'card', cards: { a: { '1g.10gb@0': 'cheap' } } },
        b: { unit: 'card', cards: { b: { '1g.10gb@0': 'p' } } },
        c: { unit: 'card', cards: { c: { '1g.10gb@0': 'q' } } },
        d: { unit: 'card', cards: { d: { '1g.10gb@0': 'r', '1g.10gb@1': '' } } }
      },
      { cheap: { restartSeconds: 1 }, r: { restartSeconds: 5 } }
    ),
    target: {
      moves: { cheap: 'b/b/1g.10gb@0', p: 'c/c/1g.10gb@0', q: 'd/d/1g.10gb@0', r: 'c/c/1g.10gb@1' },
      layouts: { c: '1g.10gb@0 1g.10gb@1' }
    },
    want: [
      'park r from d/d/1g.10gb@0 until c/c/1g.10gb@1 is there',
      'move q from c/c/1g.10gb@0 to d/d/1g.10gb@0',
      'lay out c: c 1g.10gb@0 + 1g.10gb@1',
      'resume r in c/c/1g.10gb@1',
      'move p from b/b/1g.10gb@0 to c/c/1g.10gb@0',
      'move cheap from a/a/1g.10gb@0 to b/b/1g.10gb@0'
    ]
  }
]

testOrder(cases)

t.test('[PLAN26] refuses a target by which a node never has the CPU, whoever waits for that pod', (t) => {
  const state = aState(
    {
      a: { unit: 'card', cards: { c: { '1g.10gb@0': 'p' } } },
      b: { unit: 'card', freeCpuMilli: 4, cards: { d: { '1g.10gb@0': '' } } },
      e: { unit: 'card', cards: { f: { '1g.10gb@0': 'q' } } }
    },
    { p: { cpuMilli: 5 } }
  )

  t.throws(() => told(state, { moves: { p: 'b/d/1g.10gb@0', q: 'a/c/1g.10gb@0' } }), {
    code: 'PLAN_INVALID',
    message: 'the target cannot be reached: b/d/1g.10gb@0 has no CPU or memory left for p'
  })
  t.end()
})

t.test('[PLAN26] refuses it for a pod that waits, too', (t) => {
  const state = aState(
    {
      a: { unit: 'card', freeCpuMilli: 1, cards: { c: { '1g.10gb@0': 'p', '1g.10gb@1': '' } } },
      b: { unit: 'card', freeCpuMilli: 4, cards: { d: { '1g.10gb@0': 'q' } } }
    },
    { p: { cpuMilli: 9, restartSeconds: 1 }, q: { cpuMilli: 3 } }
  )

  t.throws(() => told(state, { moves: { p: 'b/d/1g.10gb@0', q: 'a/c/1g.10gb@0' } }), {
    code: 'PLAN_INVALID',
    message: 'the target cannot be reached: b/d/1g.10gb@0 has no CPU or memory left for p'
  })
  t.end()
})

t.test(
  '[PLAN32] breaks a cycle so that no more pods of a budget are down at one time than it allows, though it costs more',
  (t) => {
    const state = aState(
      {
        a: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' } } },
        b: { unit: 'card', cards: { b: { '1g.10gb@0': 'q' } } },
        c: { unit: 'card', cards: { c: { '1g.10gb@0': 'r' } } }
      },
      { p: { restartSeconds: 1 } }
    )
    const moves = { p: 'b/b/1g.10gb@0', q: 'c/c/1g.10gb@0', r: 'a/a/1g.10gb@0' }
    const park = (pods: readonly string[]): string | undefined =>
      told({ ...state, budgets: [{ id: 'w', pods, disruptionsAllowed: 1 }] }, { moves }).find((line) =>
        line.startsWith('park')
      )

    t.equal(park([]), 'park p from a/a/1g.10gb@0 until b/b/1g.10gb@0 is there')
    t.equal(park(['p', 'q']), 'park r from c/c/1g.10gb@0 until a/a/1g.10gb@0 is there')
    t.end()
  }
)
