import t from 'tap'
import {
  emptyCards,
  frozenCards,
  keptCards,
  sharedCards,
  uncutCards,
  wholeCards
} from '../../../src/core/pack/card-class.ts'
import { modelOf, plainNames } from './instances.ts'

t.test('[PACK4] of a card whose layout stays only free instances are given away', (t) => {
  const free = [
    { profile: '2g.10gb', start: 2, size: 2 },
    { profile: '1g.5gb', start: 4, size: 1 }
  ]
  const pattern = { slots: { '1g.5gb': 1, '2g.10gb': 1 }, placements: free }

  t.strictSame(frozenCards({ id: 'frozen', supply: 2, free }), {
    id: 'frozen',
    cost: 0,
    supply: 2,
    patterns: [pattern],
    full: [pattern]
  })
  t.strictSame(frozenCards({ id: 'frozen', supply: 2, free: [] }).patterns, [])
  t.end()
})

t.test('[PACK3] cards of a model without known placements are no class', (t) => {
  const model = modelOf('rtx-pro-5000-48gb')

  t.match(emptyCards(model, plainNames(model), { id: 'x' }), { kind: 'placements-unknown' })
  t.match(keptCards(model, plainNames(model), { id: 'x', supply: 1, live: [] }), {
    kind: 'placements-unknown'
  })
  t.end()
})

t.test('[PACK16] a card may be cut, or be used uncut in one of several ways', (t) => {
  const a30 = modelOf('a30-24gb')
  const cut = emptyCards(a30, plainNames(a30), { id: 'a30', supply: 1 })
  const both = emptyCards(a30, plainNames(a30), {
    id: 'a30',
    supply: 1,
    uncut: [{ whole: 1 }, { dev: 4, ci: 2 }, { none: 0 }]
  })
  if (cut.kind !== 'class' || both.kind !== 'class') return t.fail('no class')
  const more = [{ whole: 1 }, { dev: 4, ci: 2 }].map((slots) => ({ slots, placements: [] }))

  t.strictSame(both.cards, {
    ...cut.cards,
    patterns: [...cut.cards.patterns, ...more],
    full: [...cut.cards.full, ...more]
  })
  t.strictSame(uncutCards({ id: 't4', supply: 2, uncut: [{ whole: 1 }, { dev: 4, ci: 2 }] }), {
    id: 't4',
    cost: 1,
    supply: 2,
    patterns: more,
    full: more
  })
  return t.end()
})

t.test('[PACK16] cards that are not cut have one slot, or one for each replica', (t) => {
  t.match(wholeCards({ id: 'a10', supply: 3 }), { cost: 1, supply: 3, patterns: [{ slots: { whole: 1 } }] })
  t.match(sharedCards({ id: 'a10', supply: 3, slot: 'dev', replicas: 4 }), {
    patterns: [{ slots: { dev: 4 } }]
  })
  t.strictSame(sharedCards({ id: 'a10', supply: 3, slot: 'dev', replicas: 0 }).patterns, [])
  t.end()
})
