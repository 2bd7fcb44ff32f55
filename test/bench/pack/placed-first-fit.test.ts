import t from 'tap'
import { modelOf } from '../../core/pack/instances.ts'
import { GreedyCards } from './first-fit.ts'
import { placedFirstFit } from './placed-first-fit.ts'

const model = modelOf('a100-sxm4-80gb')

t.test('what runs stays where it is, so a 3g at start 0 leaves no place for a second 2g', async (t) => {
  const workloads = ['2g.20gb', '3g.40gb', '2g.20gb']

  t.equal(placedFirstFit(model, workloads), 2)
  t.equal(new GreedyCards(model, ['2g.20gb', '3g.40gb']).place(workloads, 'first fit'), 1)
  t.equal(placedFirstFit(model, ['3g.40gb', '2g.20gb', '2g.20gb']), 1)
})

t.test('the first card with room is taken, not the last', async (t) => {
  t.equal(placedFirstFit(model, ['4g.40gb', '7g.80gb', '3g.40gb', '7g.80gb']), 3)
})

t.test('a profile that the card does not have has no place', async (t) => {
  t.throws(() => placedFirstFit(model, ['1g.18gb']), /no place for 1g\.18gb/)
})
