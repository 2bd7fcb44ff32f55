import t from 'tap'
import type { Ask } from '../../../src/core/pack/ask.ts'
import { packTenants } from '../../../src/core/pack/pack-tenants.ts'
import { modelOf, plainNames, siteOf } from './instances.ts'

const model = modelOf('a30-24gb')
const small = (count: number): readonly Ask[] => [{ profile: '1g.6gb', count, isExact: false }]

function tenants(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([name, count]) => ({ name, asks: small(count), kept: [] }))
}

function emptyOf(supply?: number) {
  const [empty] = siteOf(model, plainNames(model), supply === undefined ? {} : { supply }).cards
  if (empty === undefined) throw new Error('no cards')
  return empty
}

t.test('[PACK9] no card holds two tenants, so two of one slice each take two cards', (t) => {
  const found = packTenants({ model, tenants: tenants({ b: 1, a: 5 }), empty: emptyOf() })

  t.match(found, { kind: 'packed', gpus: 3, bound: 3 })
  t.strictSame(found.kind === 'packed' && found.tenants.map(({ name, packing }) => [name, packing.gpus]), [
    ['a', 2],
    ['b', 1]
  ])
  t.end()
})

t.test('[PACK9] too few cards for all, or for one, are named', (t) => {
  t.strictSame(packTenants({ model, tenants: tenants({ a: 4, b: 1 }), empty: emptyOf(1) }), {
    kind: 'too-few-cards',
    needed: 2,
    supply: 1
  })
  t.strictSame(packTenants({ model, tenants: tenants({ a: 1 }), empty: emptyOf(0) }), {
    kind: 'tenant',
    name: 'a',
    refusal: { kind: 'no-cards' }
  })
  t.end()
})
