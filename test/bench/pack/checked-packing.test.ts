import t from 'tap'
import { modelOf, plainNames, siteOf } from '../../core/pack/instances.ts'
import { asksOf, faultsOfLayout, packChecked, packOn } from './checked-packing.ts'

const model = modelOf('a100-sxm4-80gb')
const site = siteOf(model, plainNames(model), {})
const asks = asksOf(['3g.40gb', '4g.40gb', '1g.10gb'])

t.test('a packing that holds has no faults', async (t) => {
  t.strictSame(faultsOfLayout(site, asks, packOn(site, asks)), [])
})

t.test('a missing card, a workload without a slot and a card that cannot be cut so are found', async (t) => {
  const packing = packOn(site, asks)
  const [first, ...others] = packing.cards
  const pattern = { slots: { '3g.40gb': 1 }, placements: [{ profile: '3g.40gb', start: 1, size: 4 }] }

  t.match(faultsOfLayout(site, asks, { ...packing, cards: others }), [/1 cards for 2/, /2 of 3|1 of 3/])
  t.ok(first !== undefined)
  const crooked = { cardClass: 'empty', pattern, cards: 1 }
  t.match(faultsOfLayout(site, asks, { ...packing, cards: [crooked, ...others] }).join(), /no card is cut/)
})

t.test('a certificate that does not hold ends the bench', async (t) => {
  const generous = {
    id: 'empty',
    cost: 1 as const,
    supply: Number.POSITIVE_INFINITY,
    ways: [['7g.80gb', '7g.80gb']]
  }

  t.equal(packChecked(site, asks).packing.gpus, 2)
  t.throws(
    () => packChecked({ ...site, byHand: [generous] }, asks),
    /does not hold: empty cut into 7g\.80gb,7g\.80gb earns/
  )
})
