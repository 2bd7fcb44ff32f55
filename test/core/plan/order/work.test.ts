import t from 'tap'
import { blockerKey } from '../../../../src/core/plan/order/blocker.ts'
import { nodeOn } from '../../../../src/core/plan/order/board.ts'
import {
  blockersOn,
  blocksOn,
  isNodeOpen,
  isUnfinished,
  isWhole,
  podsOn
} from '../../../../src/core/plan/order/work.ts'
import { aCourse, aState } from '../order-case.ts'

const state = aState({
  m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' } } },
  n: { unit: 'card', cards: { c: { '1g.10gb@0': 'r', '1g.10gb@1': '' } } },
  o: { unit: 'instance', cards: { d: {}, s: {} } },
  u: { unit: 'card', cards: { e: {} } }
})
const course = aCourse(
  state,
  {
    moves: { p: 'n/c/1g.10gb@0', q: 'm/a/2g.20gb@0', r: 'n/c/1g.10gb@1' },
    layouts: { a: '2g.20gb@0', d: '7g.80gb@0', s: '7g.80gb@0' }
  },
  ['s']
)
const node = (id: string) => nodeOn(course.board, id)

t.test('[PLAN23] says on which nodes something is to be done, and on which all of it can be', (t) => {
  const ids = ['m', 'n', 'o', 'u']

  t.strictSame(
    ids.map((id) => isNodeOpen(course, node(id))),
    [true, true, true, false]
  )
  t.strictSame(
    ids.map((id) => isWhole(course, node(id))),
    [false, true, true, false]
  )
  t.strictSame(
    node('o').cards.map((card) => isUnfinished(course, card)),
    [true, false]
  )
  t.end()
})

t.test(
  '[PLAN23] names what is to be emptied on a node, who leaves it by himself, and what keeps them',
  (t) => {
    t.strictSame(
      blocksOn(course, node('m')).map(({ id }) => id),
      ['m/a']
    )
    t.strictSame(podsOn(course, node('m')), ['q'])
    t.strictSame(blockersOn(course, node('m')).map(blockerKey), ['pods r', 'block m/a'])
    t.end()
  }
)
