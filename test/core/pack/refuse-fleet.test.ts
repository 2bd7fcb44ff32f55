import t from 'tap'
import { sharedCards } from '../../../src/core/pack/card-class.ts'
import type { Fleet, Pool, WorkloadClass } from '../../../src/core/pack/fleet.ts'
import { refuseFleet } from '../../../src/core/pack/refuse-fleet.ts'
import { poolOf } from './small-fleet.ts'

const pool = poolOf('a30-24gb', { supply: 2, priceUsdPerHour: 1 })
const small: WorkloadClass = { id: 'small', count: 1, slots: { 'a30-24gb': '1g.6gb' } }
const { priceUsdPerHour: _, ...unpriced } = pool

const dev: WorkloadClass = { id: 'dev', count: 1, slots: { a10: 'dev' } }

function replicasOf(replicas: number): Pool {
  const cards = sharedCards({ id: 'a10', supply: 2, slot: 'dev', replicas })
  return { cards: { ...cards, supply: 2 }, steps: [], priceUsdPerHour: 1 }
}

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
    name: 'a price that is no number',
    given: fleet([{ ...pool, priceUsdPerHour: Number.NaN }], [small]),
    want: { kind: 'bad-price', pool: 'a30-24gb', detail: 'NaN is no price' }
  },
  { name: 'a price of nothing', given: fleet([{ ...pool, priceUsdPerHour: 0 }], [small]), want: undefined },
  {
    name: 'the least price',
    given: fleet([{ ...pool, priceUsdPerHour: 1e-6 }], [small]),
    want: undefined
  },
  {
    name: 'a price that rounds to nothing',
    given: fleet([{ ...pool, priceUsdPerHour: 4e-7 }], [small]),
    want: { kind: 'bad-price', pool: 'a30-24gb', detail: '4e-7 is under a millionth of a dollar' }
  },
  {
    name: 'the highest price',
    given: fleet([{ ...pool, priceUsdPerHour: 10_000 }], [small]),
    want: undefined
  },
  {
    name: 'a price beyond all prices',
    given: fleet([{ ...pool, priceUsdPerHour: 1e303 }], [small]),
    want: { kind: 'bad-price', pool: 'a30-24gb', detail: '1e+303 is above 10000 USD an hour' }
  },
  {
    name: 'a number of replicas that is none',
    given: fleet([replicasOf(Number.NaN)], [dev]),
    want: { kind: 'bad-count', detail: 'a10: NaN is not a whole number from 0 on' }
  },
  {
    name: 'a number of replicas in parts',
    given: fleet([replicasOf(2.5)], [dev]),
    want: { kind: 'bad-count', detail: 'a10: 2.5 is not a whole number from 0 on' }
  },
  {
    name: 'a way to use a card in parts where slots have to be exact',
    given: fleet(
      [{ ...pool, cards: { ...pool.cards, full: [{ slots: { '1g.6gb': 0.5 }, placements: [] }] } }],
      [small]
    ),
    want: { kind: 'bad-count', detail: 'a30-24gb: 0.5 is not a whole number from 0 on' }
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
    name: 'a need for which every node is too small',
    given: fleet(
      [{ ...pool, cpuMilli: 9000, largestNodeCpuMilli: 900 }],
      [small, { ...small, id: 'wide', cpuMilli: 1000 }]
    ),
    want: { kind: 'no-node', workload: 'wide' }
  },
  {
    name: 'a need that one node just holds',
    given: fleet(
      [{ ...pool, largestNodeCpuMilli: 1000, largestNodeMemoryMiB: 64 }],
      [{ ...small, cpuMilli: 1000, memoryMiB: 64 }]
    ),
    want: undefined
  },
  {
    name: 'a node that holds less than nothing',
    given: fleet([{ ...pool, largestNodeMemoryMiB: -1 }], [small]),
    want: { kind: 'bad-count', detail: 'a30-24gb: -1 is not a whole number from 0 on' }
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

t.test('[PACK15] a fleet of 100,000 classes is looked through in no time', (t) => {
  const workloads = Array.from({ length: 100_000 }, (_, index) => ({ ...small, id: `w${index}` }))
  const startMs = performance.now()

  t.equal(refuseFleet(fleet([pool], workloads)), undefined)
  t.ok(performance.now() - startMs < 3000)
  t.strictSame(refuseFleet(fleet([pool], [...workloads, { ...small, id: 'w7' }])), {
    kind: 'twice',
    id: 'w7'
  })
  t.end()
})
