import t from 'tap'
import { type ReadTarget, readTarget } from '../../../../src/core/plan/frontier/read-target.ts'
import type { PlanState } from '../../../../src/core/plan/plan-state.ts'
import { tellSeat } from '../../../../src/core/plan/seat.ts'
import { aDrain, answerOf, classesIn, programIn, type ShortAsk, twoCards } from './drain-case.ts'

/** Reads an answer that is made from the columns of the program in words. */
function read(state: PlanState, counts: Readonly<Record<string, number>>, ask: ShortAsk = {}): ReadTarget {
  const { objective = 'gpus' } = ask
  const { context, program } = contextOf(state, { ...ask, objective })
  return readTarget(context, answerOf(program, counts))
}

function contextOf(state: PlanState, ask: ShortAsk) {
  const classes = classesIn(state, ask)
  const program = programIn(state, ask)
  return { program, context: { state, classes, program } }
}

const two = twoCards('instance')
const good = { 'clear card a+b': 1, 'keep a+b: 6 x 1g.10gb': 1, 'move p+q to a100': 1 }

t.test('[PLAN3] an answer becomes a target with cards and pods by name', (t) => {
  const got = read(two, good)

  if (got.kind !== 'target') return t.fail('no target', { got })
  t.strictSame(
    got.target.moves.map(({ pod, from, to }) => [pod, tellSeat(from), tellSeat(to)]),
    [['p', 'm/a/1g.10gb@0', 'n/b/1g.10gb@6']]
  )
  t.strictSame(got.target.freedCards, ['a'])
  t.strictSame(got.target.freedNodes, ['m'])
  return t.end()
})

t.test('[PLAN3] values near whole numbers are those', (t) => {
  const { context } = contextOf(two, {})

  const values = answerOf(context.program, good)

  t.strictSame(
    readTarget(
      context,
      values.map((value) => value + 1e-9)
    ),
    readTarget(context, values)
  )
  t.end()
})

t.test('[PLAN3] an answer that changes nothing is a target without moves', (t) => {
  const want = { kind: 'target', target: { moves: [], layouts: [], freedCards: [], freedNodes: [] } }

  t.strictSame(read(two, {}), want)
  t.strictSame(readTarget(contextOf(two, {}).context, []), want)
  t.end()
})

t.test('[PLAN2] pods of a kind are split over pools, each moved once', (t) => {
  const state = aDrain(
    {
      m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' } } },
      n: { unit: 'card', cards: { b: {} } },
      o: { unit: 'card', pool: 'z', cards: { c: {} } }
    },
    {
      pods: {
        p: { slots: { a100: '1g.10gb', z: '1g.10gb' } },
        q: { slots: { a100: '1g.10gb', z: '1g.10gb' } }
      }
    }
  )
  const pools = state.pools.flatMap((pool) => [pool, { ...pool, id: 'z' }])

  const got = read(
    { ...state, pools },
    {
      'clear card a': 1,
      'fill a100: 7 x 1g.10gb': 1,
      'fill z: 7 x 1g.10gb': 1,
      'move p+q to a100': 1,
      'move p+q to z': 1
    }
  )

  t.strictSame(got.kind === 'target' && got.target.moves.map(({ pod, to }) => [pod, to.node]), [
    ['p', 'n'],
    ['q', 'o']
  ])
  t.end()
})

const wrong = [
  { name: 'a part of a card', counts: { ...good, 'clear card a+b': 0.5 }, broken: ['whole numbers'] },
  { name: 'a value that is none', counts: { 'clear card a+b': Number.NaN }, broken: ['whole numbers'] },
  { name: 'a value without end', counts: { 'clear card a+b': Infinity }, broken: ['whole numbers'] },
  {
    name: 'fewer cards than none',
    counts: { 'keep a+b: 6 x 1g.10gb': -1 },
    broken: ['keep 1', '1g.10gb of a100']
  },
  {
    name: 'more cards than there are',
    counts: { ...good, 'keep a+b: 6 x 1g.10gb': 3 },
    broken: ['keep 1', 'cards']
  },
  {
    name: 'a pod that leaves and does not arrive',
    counts: { ...good, 'move p+q to a100': 0 },
    broken: ['moved']
  },
  {
    name: 'pods without slots',
    counts: { 'clear card a+b': 1, 'move p+q to a100': 1 },
    broken: ['1g.10gb of a100']
  },
  {
    name: 'a card that is cleared and kept',
    counts: { 'clear card a+b': 2, 'keep a+b: 6 x 1g.10gb': 1, 'move p+q to a100': 2 },
    broken: ['cards']
  },
  {
    name: 'more cards laid out than are empty',
    counts: { 'clear card a+b': 1, 'fill a100: 7 x 1g.10gb': 2, 'move p+q to a100': 1 },
    broken: ['empty cards of a100']
  }
]

for (const { name, counts, broken } of wrong) {
  t.test(`[PLAN3] an answer with ${name} is refused, and what it breaks is named`, (t) => {
    const got = read(two, counts)

    t.equal(got.kind, 'wrong-answer')
    t.strictSame(
      got.kind === 'wrong-answer' &&
        got.broken.map((text) => broken.find((start) => text.startsWith(start)) ?? text),
      broken
    )
    t.end()
  })
}

t.test('[PLAN3] a value that is too large to count with is refused', (t) => {
  const got = read(two, { 'clear card a+b': Number.MAX_VALUE })

  t.equal(got.kind, 'wrong-answer')
  t.end()
})

t.test('[PLAN8] CPU that all nodes together have, but none alone, is no place for a pod', (t) => {
  const node = (card: string, pod: string, freeCpuMilli: number) =>
    ({ unit: 'instance', freeCpuMilli, cards: { [card]: { '1g.10gb@0': pod } } }) as const
  const state = aDrain(
    { l: node('a', 'p', 0), m: node('b', 'q', 60), n: node('c', 'r', 60) },
    { pods: { p: { cpuMilli: 100 }, q: { stays: 'its budget' }, r: { stays: 'its budget' } } }
  )

  t.strictSame(read(state, { 'clear card a': 1, 'keep a+b+c: 6 x 1g.10gb': 2, 'move p to a100': 1 }), {
    kind: 'no-host',
    pod: 'p',
    pool: 'a100'
  })
  t.end()
})
