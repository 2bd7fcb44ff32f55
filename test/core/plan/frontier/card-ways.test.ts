import t from 'tap'
import { WHOLE_CARD } from '../../../../src/core/pack/card-class.ts'
import { printSlots } from '../../../../src/core/pack/patterns.ts'
import { CardWays, isSlotFor } from '../../../../src/core/plan/frontier/card-ways.ts'
import { modelOf } from '../../pack/instances.ts'
import { a100, slotsOf } from '../order-case.ts'

const cases = [
  { slot: WHOLE_CARD, asked: { profile: WHOLE_CARD, isExact: false }, want: true },
  { slot: WHOLE_CARD, asked: { profile: '1g.10gb', isExact: false }, want: false },
  { slot: '7g.80gb', asked: { profile: WHOLE_CARD, isExact: false }, want: false },
  { slot: '3g.40gb', asked: { profile: '1g.10gb', isExact: false }, want: true },
  { slot: '3g.40gb', asked: { profile: '1g.10gb', isExact: true }, want: false },
  { slot: '1g.10gb', asked: { profile: '1g.10gb', isExact: true }, want: true },
  { slot: '1g.10gb', asked: { profile: '3g.40gb', isExact: false }, want: false },
  { slot: '1g.10gb', asked: { profile: '1g.6gb', isExact: false }, want: false }
]

for (const { slot, asked, want } of cases) {
  const who = `${asked.isExact ? 'a pinned pod' : 'a pod'} of ${asked.profile}`
  t.test(`[PLAN2] a slot ${slot} ${want ? 'serves' : 'does not serve'} ${who}`, (t) => {
    t.equal(isSlotFor(a100, slot, asked), want)
    t.end()
  })
}

function textsOf(ways: ReturnType<CardWays['ofEmpty']>): readonly string[] {
  return ways.map(({ slots }) => printSlots(slots))
}

const pool = { id: 'a100', model: a100, profiles: ['1g.10gb', '3g.40gb'] }

t.test('[PLAN2] an empty card is cut in every way that no other replaces, or given away uncut', (t) => {
  t.strictSame(textsOf(new CardWays(pool, false).ofEmpty()), [
    '2 x 3g.40gb',
    '4 x 1g.10gb + 1 x 3g.40gb',
    '7 x 1g.10gb',
    '1 x whole'
  ])
  t.end()
})

t.test('[PLAN2] ways that another one replaces count where a pod takes no larger slot', (t) => {
  const small = { ...pool, profiles: ['1g.10gb', '1g.20gb'] }

  const some = textsOf(new CardWays(small, false).beside(slotsOf('4g.40gb@0')))
  const all = textsOf(new CardWays(small, true).beside(slotsOf('4g.40gb@0')))

  t.strictSame(some, ['2 x 1g.10gb + 1 x 1g.20gb', '2 x 1g.20gb'])
  t.strictSame(all, ['2 x 1g.10gb + 1 x 1g.20gb', '2 x 1g.20gb', '3 x 1g.10gb'])
  t.end()
})

t.test('[PLAN5] beside instances is created what the placements leave room for, and found once', (t) => {
  const ways = new CardWays(pool, false)

  const found = ways.beside(slotsOf('3g.40gb@0'))

  t.strictSame(textsOf(found), ['1 x 3g.40gb', '3 x 1g.10gb'])
  t.equal(ways.beside(slotsOf('3g.40gb@0')), found)
  t.strictSame(textsOf(ways.beside(slotsOf('7g.80gb@0'))), [])
  t.end()
})

t.test('[PLAN2] a card that cannot be cut is given away uncut alone', (t) => {
  const uncut = ['rubin', 'rtx-pro-5000-48gb', 'a100-sxm-64gb'].map((id) => {
    const model = modelOf(id)
    return textsOf(
      new CardWays({ id, model, profiles: model.profiles.map(({ name }) => name) }, false).ofEmpty()
    )
  })

  t.strictSame(uncut, [['1 x whole'], ['1 x whole'], ['1 x whole']])
  t.end()
})

t.test('[PLAN5] a card as it is gives its idle instances, or itself where it is empty', (t) => {
  const ways = new CardWays(pool, false)
  const [first, second] = slotsOf('1g.10gb@0 3g.40gb@4')
  if (first === undefined || second === undefined) return t.fail('no slots')

  const given = [
    { id: 'c', instances: [] },
    { id: 'c', instances: [], wholePod: 'p' },
    { id: 'c', instances: [{ placement: first, pod: 'p' }] },
    { id: 'c', instances: [{ placement: first, pod: 'p' }, { placement: second }] },
    { id: 'c', instances: [{ placement: first }, { placement: second }] }
  ].map((card) => ways.asItIs(card))

  t.strictSame(given, [
    [{ slots: { whole: 1 }, placements: [] }],
    [],
    [],
    [{ slots: { '3g.40gb': 1 }, placements: [second] }],
    [{ slots: { '1g.10gb': 1, '3g.40gb': 1 }, placements: [first, second] }]
  ])
  return t.end()
})
