import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { layOutCards, type NamedAsk } from '../../../src/core/pack/layouts.ts'
import { packModel } from '../../../src/core/pack/pack-model.ts'
import { holds } from '../../property/holds.ts'
import { holdsByHand, isValidCard } from './card-by-hand.ts'
import { cuttable, modelOf, plainNames, siteOf } from './instances.ts'

t.test('[PACK11] writes out each card with places and names', (t) => {
  const model = modelOf('a100-sxm4-40gb')
  const { cards } = siteOf(model, plainNames(model), {})
  const asks: readonly NamedAsk[] = [
    { profile: '3g.20gb', isExact: false, workloads: ['b', 'a'] },
    { profile: '4g.20gb', isExact: false, workloads: ['z'] }
  ]

  const packing = packModel({
    model,
    cards,
    asks: asks.map(({ workloads, ...ask }) => ({ ...ask, count: workloads.length }))
  })

  if (packing.kind !== 'packed') return t.fail(packing.kind)
  t.strictSame(layOutCards(packing, asks), [
    {
      cardClass: 'empty',
      slots: [
        { placement: { profile: '4g.20gb', start: 0, size: 4 }, workload: 'z' },
        { placement: { profile: '3g.20gb', start: 4, size: 4 }, workload: 'a' }
      ]
    },
    {
      cardClass: 'empty',
      slots: [
        { placement: { profile: '4g.20gb', start: 0, size: 4 }, workload: undefined },
        { placement: { profile: '3g.20gb', start: 4, size: 4 }, workload: 'b' }
      ]
    }
  ])
  return t.end()
})

t.test(
  '[PACK11] every card is valid by rules written twice, and every workload is on one of them, in a slot that holds it',
  (t) => {
    const sites = cuttable.map((model) =>
      siteOf(
        model,
        model.profiles.map(({ name }) => name),
        {}
      )
    )
    const instance = fc.constantFrom(...sites).chain((site) =>
      fc.tuple(
        fc.constant(site),
        fc.uniqueArray(
          fc.record({
            profile: fc.constantFrom(...site.allowed),
            isExact: fc.boolean(),
            count: fc.integer({ min: 1, max: 40 })
          }),
          { selector: ({ profile, isExact }) => `${profile} ${isExact}`, minLength: 1, maxLength: 6 }
        )
      )
    )
    holds(
      fc.property(instance, ([{ model, card, cards }, counted]) => {
        const asks = counted.map(({ count, ...ask }, index) => ({
          ...ask,
          workloads: Array.from({ length: count }, (_, number) => `${index}-${number}`)
        }))

        const packing = packModel({ model, cards, asks: counted })

        assert.ok(packing.kind === 'packed')
        if (packing.kind !== 'packed') return
        const planned = layOutCards(packing, asks)
        assert.equal(planned.length, packing.gpus)
        const placed: string[] = []
        for (const { slots } of planned) {
          assert.ok(
            isValidCard(
              card,
              slots.map(({ placement }) => placement)
            )
          )
          for (const { placement, workload } of slots) {
            if (workload === undefined) continue
            placed.push(workload)
            const ask = asks[Number(workload.split('-')[0])]
            assert.ok(ask !== undefined && holdsByHand(card, placement.profile, ask))
          }
        }
        assert.deepEqual(placed.toSorted(), asks.flatMap(({ workloads }) => workloads).toSorted())
      }),
      300
    )
    t.end()
  }
)
