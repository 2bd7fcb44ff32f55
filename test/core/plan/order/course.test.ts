import t from 'tap'
import { blockerKey } from '../../../../src/core/plan/order/blocker.ts'
import { cardOn, podsOf } from '../../../../src/core/plan/order/board.ts'
import {
  type Course,
  layOut,
  layOutEmpty,
  perform,
  rollBack,
  send,
  sendAll,
  settle,
  startWave
} from '../../../../src/core/plan/order/course.ts'
import { tellAction } from '../../../../src/core/plan/tell-action.ts'
import { aCourse, aState, seatOf, slotsOf } from '../order-case.ts'

const state = aState({
  m: { unit: 'instance', cards: { a: { '1g.10gb@0': 'p' }, b: { '7g.80gb@0': '' } } },
  n: { unit: 'node', cards: { s: { '1g.10gb@0': '' }, u: {} } }
})
const target = { moves: { p: 'm/b/3g.40gb@0' }, layouts: { b: '3g.40gb@0' } }
const told = ({ steps }: Course): readonly string[] => steps.map(tellAction)
const toSpare = {
  kind: 'move',
  node: 'm',
  pod: 'p',
  from: seatOf('m/a/1g.10gb@0'),
  to: seatOf('n/s/1g.10gb@0'),
  purpose: 'to-spare'
} as const

t.test('[PLAN21] sends a pod where it ends, once the instance is made', (t) => {
  const course = aCourse(state, target)

  t.ok(send(course, 'p'))
  t.strictSame(told(course), ['lay out m: b 3g.40gb@0', 'move p from m/a/1g.10gb@0 to m/b/3g.40gb@0'])
  t.notOk(send(course, 'p'), 'it is there already')
  t.end()
})

t.test('[PLAN21] sends one that waits', (t) => {
  const course = aCourse(state, target)
  const from = seatOf('m/a/1g.10gb@0')

  perform(course, { kind: 'park', node: 'm', pod: 'p', from, until: from, why: 'no-spare' })
  settle(course)

  t.strictSame(told(course).slice(1), ['lay out m: b 3g.40gb@0', 'resume p in m/b/3g.40gb@0'])
  t.end()
})

t.test('[PLAN20] sends pods for as long as one makes room for another, and says what keeps the next', (t) => {
  const stuck = aState({
    m: {
      unit: 'card',
      cards: { a: { '1g.10gb@0': 'p', '1g.10gb@1': 'q' }, b: { '1g.10gb@0': 'r', '1g.10gb@1': '' } }
    }
  })
  const course = aCourse(stuck, {
    moves: { p: 'm/a/1g.10gb@1', q: 'm/b/1g.10gb@1' }
  })

  t.equal(sendAll(course, ['p', 'q']), undefined)
  t.strictSame(told(course), [
    'move q from m/a/1g.10gb@1 to m/b/1g.10gb@1',
    'move p from m/a/1g.10gb@0 to m/a/1g.10gb@1'
  ])
  t.end()
})

t.test('[PLAN20] says what keeps the first pod that cannot go', (t) => {
  const stuck = aState({ m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'r' } } } })
  const course = aCourse(stuck, { moves: { p: 'm/b/1g.10gb@0', r: 'm/a/1g.10gb@0' } })

  const blocker = sendAll(course, ['p', 'r'])

  t.equal(blocker && blockerKey(blocker), 'pods r')
  t.strictSame(told(course), [])
  t.end()
})

t.test('[PLAN25] a pod leaves a spare card as soon as it can, and the card is left as it was', (t) => {
  const course = aCourse(state, target, ['s'])
  layOutEmpty(course, cardOn(course.board, 's'), slotsOf('1g.10gb@0 1g.10gb@1'))
  perform(course, toSpare)

  settle(course)

  t.strictSame(told(course), [
    'cordon n',
    'lay out n: s 1g.10gb@0 + 1g.10gb@1',
    'uncordon n',
    'move p from m/a/1g.10gb@0 to n/s/1g.10gb@0 for a while',
    'lay out m: b 3g.40gb@0',
    'move p from n/s/1g.10gb@0 to m/b/3g.40gb@0',
    'cordon n',
    'lay out n: s 1g.10gb@0',
    'uncordon n'
  ])
  t.equal(course.steps[5]?.kind === 'move' && course.steps[5].purpose, 'from-spare')
  t.end()
})

t.test('[PLAN25] nobody else has to stop for a spare card where only cards that change do', (t) => {
  const full = aState({ n: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, s: { '1g.10gb@0': '' } } } })
  const course = aCourse(full, {}, ['s'])
  layOutEmpty(course, cardOn(course.board, 's'), [])

  settle(course)

  t.strictSame(told(course), ['lay out n: s uncut', 'lay out n: s 1g.10gb@0'])
  t.end()
})

t.test('[PLAN25] a spare card is left as it was once nobody has to stop for it', (t) => {
  const full = aState({
    m: { unit: 'card', cards: { a: { '1g.10gb@0': 'p' }, b: { '1g.10gb@0': 'q' } } },
    n: { unit: 'node', cards: { s: {}, u: { '1g.10gb@0': '' } } }
  })
  const course = aCourse(full, { moves: { p: 'm/b/1g.10gb@0', q: 'm/a/1g.10gb@0' } }, ['s', 'u'])
  layOutEmpty(course, cardOn(course.board, 's'), slotsOf('1g.10gb@0'))
  perform(course, { ...toSpare, to: seatOf('n/u/1g.10gb@0') })
  const before = course.steps.length

  settle(course)

  t.strictSame(told(course).slice(before), [])
  t.end()
})

t.test('[PLAN27] takes steps back', (t) => {
  const course = aCourse(state, target)
  perform(course, { kind: 'cordon', node: 'm' })
  perform(course, toSpare)
  perform(course, { kind: 'release', node: 'm', card: 'a' })

  rollBack(course, 1)

  t.strictSame(told(course), ['cordon m'])
  t.strictSame(podsOf(cardOn(course.board, 'a')), ['p'])
  t.strictSame(podsOf(cardOn(course.board, 's')), [])
  t.end()
})

t.test('[PLAN21] lays out what can be', (t) => {
  const course = aCourse(state, target)

  layOut(course, cardOn(course.board, 'b'))

  t.strictSame(told(course), ['lay out m: b 3g.40gb@0'])
  t.end()
})

t.test('[PLAN23] a node is named once for as long as it is in hand', (t) => {
  const course = aCourse(state, target)
  startWave(course, 'm')
  startWave(course, 'm')
  perform(course, { kind: 'cordon', node: 'm' })
  startWave(course, 'n')

  t.strictSame(course.marks, [
    { node: 'm', from: 0 },
    { node: 'n', from: 1 }
  ])
  t.end()
})
