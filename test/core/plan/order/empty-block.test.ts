import t from 'tap'
import { type Blocker, blockerKey } from '../../../../src/core/plan/order/blocker.ts'
import type { Block } from '../../../../src/core/plan/order/board.ts'
import type { Course } from '../../../../src/core/plan/order/course.ts'
import {
  blockerOfBlock,
  displace,
  finishBlock,
  forceOut,
  tryBlock
} from '../../../../src/core/plan/order/empty-block.ts'
import { tellAction } from '../../../../src/core/plan/tell-action.ts'
import { aCourse, aState } from '../order-case.ts'

const told = ({ steps }: Course): readonly string[] => steps.map(tellAction)
const whysOf = ({ steps }: Course): readonly string[] =>
  steps.flatMap((step) => (step.kind === 'park' ? [step.why] : []))
const keyOf = (blocker: Blocker | undefined): string | undefined => blocker && blockerKey(blocker)

function blockOn(course: Course, card: string): Block {
  const block = course.board.blocks.get(card)
  if (block === undefined) throw new Error(`no block on ${card}`)
  return block
}

t.test('[PLAN22] empties a node, lays its cards out in one step, and lets those in that end there', (t) => {
  const state = aState({
    m: { unit: 'node', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' }, c: {} } },
    n: { unit: 'card', cards: { d: { '1g.10gb@0': '' } } }
  })
  const course = aCourse(state, {
    moves: { p: 'n/d/1g.10gb@0', q: 'm/c/2g.20gb@0' },
    layouts: { b: '', c: '2g.20gb@0' }
  })

  t.equal(tryBlock(course, blockOn(course, 'b')), undefined)
  t.strictSame(told(course), [
    'cordon m',
    'move p from m/a/1g.10gb@0 to n/d/1g.10gb@0',
    'park q from m/b/1g.10gb@0 until m/c/2g.20gb@0 is there',
    'lay out m: b uncut; c 2g.20gb@0',
    'uncordon m',
    'resume q in m/c/2g.20gb@0'
  ])
  t.strictSame(whysOf(course), ['lay-out'])
  t.equal(course.board.blocks.size, 0)
  t.end()
})

const cycle = aState({
  m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'o' } } },
  n: { unit: 'card', cards: { b: { '1g.10gb@0': 'q' }, f: { '1g.10gb@0': '' }, s: {} } }
})
const target = {
  moves: { p: 'n/b/2g.20gb@0', o: 'n/f/1g.10gb@0', q: 'm/a/2g.20gb@0' },
  layouts: { a: '2g.20gb@0', b: '2g.20gb@0' }
}

t.test('[PLAN22] does nothing where a pod cannot leave, and says what keeps it', (t) => {
  const course = aCourse(cycle, target)

  t.equal(keyOf(tryBlock(course, blockOn(course, 'a'))), 'block n/b')
  t.equal(keyOf(blockerOfBlock(course, blockOn(course, 'a'))), 'block n/b')
  t.strictSame(told(course), [])
  t.equal(course.board.blocks.size, 2)
  t.end()
})

t.test('[PLAN25] forces out who cannot leave: on a spare card, or to wait', (t) => {
  const spared = aCourse(cycle, target, ['s'])
  const parked = aCourse(cycle, target)

  for (const course of [spared, parked]) {
    forceOut(course, blockOn(course, 'a'))
    finishBlock(course, blockOn(course, 'a'))
  }

  t.strictSame(told(spared), [
    'move o from m/a/1g.10gb@1 to n/f/1g.10gb@0',
    'lay out n: s 1g.10gb@6',
    'move p from m/a/1g.10gb@0 to n/s/1g.10gb@6 for a while',
    'lay out m: a 2g.20gb@0'
  ])
  t.strictSame(told(parked), [
    'move o from m/a/1g.10gb@1 to n/f/1g.10gb@0',
    'park p from m/a/1g.10gb@0 until n/b/2g.20gb@0 is there',
    'lay out m: a 2g.20gb@0'
  ])
  t.strictSame(whysOf(parked), ['no-spare'])
  t.end()
})

t.test('[PLAN25] where one spare card does not hold all pods, it holds those of one card', (t) => {
  const state = aState({
    m: { unit: 'node', cards: { a: { '4g.40gb@0': 'p' }, b: { '4g.40gb@0': 'q', '1g.10gb@4': 'r' } } },
    n: { unit: 'card', cards: { s: {} } }
  })
  const course = aCourse(state, {}, ['s'])

  displace(course, ['p', 'q', 'r'])

  t.strictSame(told(course), [
    'lay out n: s 4g.40gb@0',
    'move p from m/a/4g.40gb@0 to n/s/4g.40gb@0 for a while',
    'park q from m/b/4g.40gb@0 until m/b/4g.40gb@0 is there',
    'park r from m/b/1g.10gb@4 until m/b/1g.10gb@4 is there'
  ])
  t.strictSame(whysOf(course), ['no-spare-holds-it', 'no-spare-holds-it'])
  t.end()
})

t.test(
  '[PLAN25] a spare card that is cut so already is taken as it is, and whoever is on one waits next',
  (t) => {
    const state = aState({
      m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, s: { '1g.10gb@3': '' }, u: { '1g.10gb@3': '' } } }
    })
    const course = aCourse(state, {}, ['s', 'u'])

    displace(course, ['p'])
    displace(course, ['p'])

    t.strictSame(told(course), [
      'move p from m/a/1g.10gb@0 to m/s/1g.10gb@3 for a while',
      'park p from m/s/1g.10gb@3 until m/a/1g.10gb@0 is there'
    ])
    t.end()
  }
)
