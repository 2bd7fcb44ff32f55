import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Ask } from '../../../src/core/pack/ask.ts'
import { type CardClass, emptyCards, sharedCards, WHOLE_CARD } from '../../../src/core/pack/card-class.ts'
import { mayServe, packModel } from '../../../src/core/pack/pack-model.ts'
import type { SlotUse } from '../../../src/core/pack/packing.ts'
import { holds } from '../../property/holds.ts'
import { modelOf, plainNames, siteOf } from './instances.ts'
import { faultsOf } from './proof-by-hand.ts'

const model = modelOf('a100-sxm4-80gb')
const site = siteOf(model, plainNames(model), {})
const { cards } = site

function asksFor(counts: Readonly<Record<string, number>>): readonly Ask[] {
  return Object.entries(counts).map(([profile, count]) => ({ profile, count, isExact: false }))
}

t.test('[PACK5] the small mix of ten thousand takes 2,600 cards, and nobody does with fewer', (t) => {
  const asks = asksFor({
    '1g.10gb': 4000,
    '1g.20gb': 1500,
    '2g.20gb': 2500,
    '3g.40gb': 1500,
    '4g.40gb': 300,
    '7g.80gb': 200
  })

  const found = packModel({ model, cards, asks })

  t.match(found, { kind: 'packed', gpus: 2600, bound: 2600 })
  t.end()
})

t.test('[PACK6] the proof is short enough for a reader: a price for each profile', (t) => {
  const asks = asksFor({ '2g.20gb': 4000, '3g.40gb': 3000, '4g.40gb': 3000 })

  const found = packModel({ model, cards, asks })

  const proof = found.kind === 'packed' ? found.proof : undefined
  t.match(found, { gpus: 4334, bound: 4334 })
  t.strictSame(proof, {
    kind: 'prices',
    perCard: 3,
    prices: [
      { profile: '2g.20gb', isExact: false, price: 1 },
      { profile: '3g.40gb', isExact: false, price: 1 },
      { profile: '4g.40gb', isExact: false, price: 2 }
    ],
    rents: []
  })
  t.end()
})

t.test('[PACK7] a pinned workload gets a slot of exactly its profile', (t) => {
  const asks: readonly Ask[] = [
    { profile: '1g.20gb', count: 4, isExact: true },
    { profile: '1g.10gb', count: 1, isExact: false }
  ]

  const found = packModel({ model, cards, asks })

  t.match(found, { kind: 'packed', gpus: 2 })
  if (found.kind !== 'packed') return t.end()
  t.strictSame(
    found.uses.filter(({ ask }) => ask.isExact).map(({ slot, count }) => [slot, count]),
    [['1g.20gb', 4]]
  )
  return t.end()
})

t.test('[PACK8] a million workloads are packed with a proof', (t) => {
  const asks = asksFor({
    '1g.10gb': 400_003,
    '1g.20gb': 150_001,
    '2g.20gb': 250_007,
    '3g.40gb': 150_001,
    '7g.80gb': 50_001
  })

  const found = packModel({ model, cards, asks })

  t.ok(found.kind === 'packed' && found.gpus === found.bound && found.proof.kind === 'prices')
  t.end()
})

const refusals: readonly { name: string; cards: readonly CardClass[]; asks: readonly Ask[]; want: object }[] =
  [
    { name: 'no card at all', cards: [], asks: asksFor({ '1g.10gb': 1 }), want: { kind: 'no-cards' } },
    {
      name: 'cards of which there are none',
      cards: cards.map((entry) => ({ ...entry, supply: 0 })),
      asks: asksFor({ '1g.10gb': 1 }),
      want: { kind: 'no-cards' }
    },
    {
      name: 'a profile that no slot serves',
      cards: siteOf(model, ['1g.10gb', '2g.20gb'], {}).cards,
      asks: asksFor({ '1g.10gb': 1, '3g.40gb': 1 }),
      want: { kind: 'no-slot', ask: { profile: '3g.40gb', isExact: false } }
    },
    {
      name: 'a profile that the model does not have',
      cards,
      asks: asksFor({ '9g.90gb': 1 }),
      want: { kind: 'no-slot', ask: { profile: '9g.90gb', isExact: false } }
    },
    {
      name: 'a pin to a profile that may not be cut',
      cards: siteOf(model, ['2g.20gb'], {}).cards,
      asks: [{ profile: '1g.20gb', count: 1, isExact: true }],
      want: { kind: 'no-slot', ask: { profile: '1g.20gb', isExact: true } }
    },
    {
      name: 'a count below zero',
      cards,
      asks: asksFor({ '1g.10gb': -1 }),
      want: { kind: 'bad-count', detail: '-1 of 1g.10gb is not a whole number from 0 on' }
    },
    {
      name: 'a count that is no number',
      cards,
      asks: asksFor({ '1g.10gb': Number.NaN }),
      want: { kind: 'bad-count', detail: 'NaN of 1g.10gb is not a whole number from 0 on' }
    },
    {
      name: 'a supply that is no whole number',
      cards: cards.map((entry) => ({ ...entry, supply: 1.5 })),
      asks: asksFor({ '1g.10gb': 1 }),
      want: { kind: 'bad-count', detail: '1.5 cards of empty is not a whole number from 0 on' }
    },
    {
      name: 'a slot in parts',
      cards: [sharedCards({ id: 'a10', supply: 1, slot: 'dev', replicas: 2.5 })],
      asks: asksFor({ '1g.10gb': 1 }),
      want: { kind: 'bad-count', detail: '2.5 of dev on a10 is not a whole number from 0 on' }
    },
    {
      name: 'a class of cards that is there twice',
      cards: [...cards, ...cards].map((entry) => ({ ...entry, supply: 1 })),
      asks: asksFor({ '7g.80gb': 2 }),
      want: { kind: 'twice', id: 'empty' }
    }
  ]

for (const { name, cards: given, asks, want } of refusals) {
  t.test(`[PACK8] ${name} is named`, (t) => {
    t.strictSame(packModel({ model, cards: given, asks }), want)
    t.end()
  })
}

t.test('[PACK16] a card that may be cut or given away whole is used in one of these ways', (t) => {
  const asks = asksFor({ '1g.10gb': 1, [WHOLE_CARD]: 1 })
  const pack = (supply: number): unknown => {
    const made = emptyCards(model, plainNames(model), { id: 'a100', supply, uncut: [{ [WHOLE_CARD]: 1 }] })
    return made.kind === 'class' && packModel({ model, cards: [made.cards], asks })
  }

  t.match(pack(1), { kind: 'too-few-cards', proof: { kind: 'prices' } })
  t.match(pack(2), { kind: 'packed', gpus: 2, bound: 2 })
  t.end()
})

t.test('[PACK8] nothing to pack takes no card', (t) => {
  const found = packModel({ model, cards: [], asks: asksFor({ '1g.10gb': 0 }) })

  t.match(found, { kind: 'packed', cards: [], uses: [], gpus: 0, bound: 0 })
  t.end()
})

t.test('[PACK8] too few cards are named, with a proof', (t) => {
  const few = siteOf(model, plainNames(model), { supply: 3 })
  const asks = asksFor({ '3g.40gb': 7 })

  const found = packModel({ model, cards: few.cards, asks })

  t.equal(found.kind, 'too-few-cards')
  if (found.kind !== 'too-few-cards' || found.proof.kind !== 'prices') return t.end()
  t.equal(found.proof.perCard, 0)
  t.strictSame(faultsOf(found.proof, { card: few.card, cards: few.byHand, asks, bound: undefined }), [])
  return t.end()
})

t.test('[PACK8] a search that may not go on says what is proved', (t) => {
  const found = packModel({ model, cards, asks: asksFor({ '2g.20gb': 5, '1g.10gb': 3 }) }, 1)

  t.strictSame(found, { kind: 'undecided', bound: 2 })
  t.end()
})

t.test('[PACK10] the same asks give the same packing, in whatever order and however they are split', (t) => {
  const names = model.profiles.map(({ name }) => name)
  const all = emptyCards(model, names, { id: 'new' })
  const entry = fc.record({
    profile: fc.constantFrom(...names),
    count: fc.integer({ min: 0, max: 300 }),
    isExact: fc.boolean()
  })
  holds(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 8 }), (asks) => {
      const given = all.kind === 'class' ? [all.cards, ...cards] : []
      const split = asks.flatMap((ask) => [
        { ...ask, count: Math.floor(ask.count / 2) },
        { ...ask, count: Math.ceil(ask.count / 2) }
      ])

      const first = packModel({ model, cards: given, asks })
      const second = packModel({ model, cards: given.toReversed(), asks: split.toReversed() })

      assert.equal(JSON.stringify(second), JSON.stringify(first))
    })
  )
  t.end()
})

t.test('[PACK6] large packings are proved too, and hold what they should', (t) => {
  const count = fc.integer({ min: 0, max: 5000 })
  holds(
    fc.property(fc.array(count, { minLength: 6, maxLength: 6 }), (counts) => {
      const asks = plainNames(model).map((profile, index) => ({
        profile,
        count: counts[index] ?? 0,
        isExact: false
      }))

      const found = packModel({ model, cards, asks })

      assert.ok(found.kind === 'packed' && found.proof.kind === 'prices')
      if (found.kind !== 'packed' || found.proof.kind !== 'prices') return
      assert.equal(found.gpus, found.bound)
      assert.deepEqual(
        faultsOf(found.proof, { card: site.card, cards: site.byHand, asks, bound: found.bound }),
        []
      )
      for (const { profile, count: wanted } of asks) {
        const served: readonly SlotUse[] = found.uses.filter(({ ask }) => ask.profile === profile)
        assert.equal(
          served.reduce((sum, use) => sum + use.count, 0),
          wanted
        )
        assert.ok(served.every(({ slot, ask }) => mayServe(model, slot, ask)))
      }
    }),
    300
  )
  t.end()
})
