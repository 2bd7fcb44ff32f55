import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { assignSlots } from '../../../src/core/pack/assign-slots.ts'
import { holds } from '../../property/holds.ts'

const ask = (profile: string, count: number) => ({ profile, count, isExact: false })

t.test('[PACK11] a slot of exactly the profile comes first', (t) => {
  const uses = assignSlots({
    slots: new Map([
      ['large', 2],
      ['small', 1]
    ]),
    asks: [ask('small', 2), ask('large', 1)],
    mayServe: (slot, { profile }) => slot === 'large' || profile === 'small'
  })

  t.strictSame(uses, [
    { slot: 'large', ask: { profile: 'large', isExact: false }, count: 1 },
    { slot: 'large', ask: { profile: 'small', isExact: false }, count: 1 },
    { slot: 'small', ask: { profile: 'small', isExact: false }, count: 1 }
  ])
  t.end()
})

t.test('[PACK11] an ask gives up a slot for one that has no other', (t) => {
  const uses = assignSlots({
    slots: new Map([
      ['a', 1],
      ['b', 1]
    ]),
    asks: [ask('any', 1), ask('only-a', 1)],
    mayServe: (slot, { profile }) => profile === 'any' || slot === 'a'
  })

  t.strictSame(
    uses?.map(({ slot, ask: { profile } }) => `${slot} ${profile}`),
    ['a only-a', 'b any']
  )
  t.equal(
    assignSlots({ slots: new Map([['b', 9]]), asks: [ask('only-a', 1)], mayServe: (slot) => slot === 'a' }),
    undefined
  )
  t.end()
})

t.test('[PACK11] finds an assignment exactly where every group of asks has slots enough', (t) => {
  const counts = (length: number) =>
    fc.array(fc.integer({ min: 0, max: 4 }), { minLength: length, maxLength: length })
  const edges = fc.array(fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), {
    minLength: 4,
    maxLength: 4
  })
  holds(
    fc.property(counts(4), counts(4), edges, (slots, asks, allowed) => {
      const uses = assignSlots({
        slots: new Map(slots.map((count, index) => [`${index}`, count])),
        asks: asks.map((count, index) => ask(`${index} wanted`, count)),
        mayServe: (slot, { profile }) => allowed[Number(slot)]?.[Number(profile.charAt(0))] === true
      })
      const groups = Array.from({ length: 16 }, (_, bits) =>
        asks.map((__, index) => (bits >> index) % 2 === 1)
      )
      const isEnough = groups.every((group) => {
        const wanted = asks.reduce((sum, count, index) => sum + (group[index] === true ? count : 0), 0)
        const open = slots.filter((_, slot) =>
          group.some((isIn, index) => isIn && allowed[slot]?.[index] === true)
        )
        return open.reduce((sum, count) => sum + count, 0) >= wanted
      })

      assert.equal(uses !== undefined, isEnough)
      for (const [index, count] of asks.entries()) {
        const served = uses?.filter(({ ask: { profile } }) => profile === `${index} wanted`) ?? []
        if (uses !== undefined)
          assert.equal(
            served.reduce((sum, use) => sum + use.count, 0),
            count
          )
      }
      for (const [index, count] of slots.entries()) {
        const used =
          uses?.filter(({ slot }) => slot === `${index}`).reduce((sum, use) => sum + use.count, 0) ?? 0
        assert.ok(used <= count)
      }
    }),
    1000
  )
  t.end()
})
