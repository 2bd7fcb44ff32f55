import t from 'tap'
import type { Fleet, Pool, WorkloadClass } from '../../../src/core/pack/fleet.ts'
import { refuseFleet } from '../../../src/core/pack/refuse-fleet.ts'
import { poolOf } from './small-fleet.ts'

const pool = poolOf('a30-24gb', { supply: 2, priceUsdPerHour: 1 })
const small: WorkloadClass = { id: 'small', count: 1, slots: { 'a30-24gb': '1g.6gb' } }
const { priceUsdPerHour: _, ...unpriced } = pool

function fleet(
  pools: readonly Pool[],
  workloads: readonly WorkloadClass[],
  objective: Fleet['objective'] = 'price'
): Fleet {
  return { pools, workloads, objective }
}

const cases: readonly { name: string; given: Fleet; want: object | undefined }[] = [
  { name: 'a fleet with room', given: fleet([pool], [small]), want: undefined },
  { name: 'no workload', given: fleet([], []), want: undefined },
  { name: 'no pool', given: fleet([], [small]), want: { kind: 'no-cards' } },
  {
    name: 'a pool without a card',
    given: fleet([{ ...pool, cards: { ...pool.cards, supply: 0 } }], [small]),
    want: { kind: 'no-cards' }
  },
  { name: 'a pool twice', given: fleet([pool, pool], [small]), want: { kind: 'twice', id: 'a30-24gb' } },
  { name: 'a class twice', given: fleet([pool], [small, small]), want: { kind: 'twice', id: 'small' } },
  {
    name: 'a need larger than any card',
    given: fleet([pool], [small, { ...small, id: 'huge', slots: {} }]),
    want: { kind: 'no-slot', workload: 'huge' }
  },
  {
    name: 'a slot that no card has',
    given: fleet([pool], [{ ...small, slots: { 'a30-24gb': '3g.20gb' } }]),
    want: { kind: 'no-slot', workload: 'small' }
  },
  {
    name: 'a name that every object has',
    given: fleet([{ ...pool, cards: { ...pool.cards, id: 'toString' } }], [{ ...small, slots: {} }]),
    want: { kind: 'no-slot', workload: 'small' }
  },
  {
    name: 'a missing price',
    given: fleet([unpriced], [small]),
    want: { kind: 'bad-price', pool: 'a30-24gb', detail: 'no price is known' }
  },
  { name: 'a missing price where GPUs count', given: fleet([unpriced], [small], 'gpus'), want: undefined },
  {
    name: 'a price below zero',
    given: fleet([{ ...pool, priceUsdPerHour: -2 }], [small]),
    want: { kind: 'bad-price', pool: 'a30-24gb', detail: '-2 is no price' }
  },
  {
    name: 'a count below zero',
    given: fleet([pool], [{ ...small, count: -1 }]),
    want: { kind: 'bad-count', detail: 'small: -1 is not a whole number from 0 on' }
  },
  {
    name: 'a supply in parts',
    given: fleet([{ ...pool, cards: { ...pool.cards, supply: 0.5 } }], [small]),
    want: { kind: 'bad-count', detail: 'a30-24gb: 0.5 is not a whole number from 0 on' }
  },
  {
    name: 'a skew of zero',
    given: fleet([pool], [{ ...small, maxSkew: 0 }]),
    want: { kind: 'bad-count', detail: 'small: -1 is not a whole number from 0 on' }
  }
]

for (const { name, given, want } of cases) {
  t.test(`[PACK15] ${name} is ${want === undefined ? 'planned' : 'named'}`, (t) => {
    t.strictSame(refuseFleet(given), want)
    t.end()
  })
}
