import t from 'tap'
import type { Ask } from '../../../src/core/pack/ask.ts'
import { packTenants, type Tenant } from '../../../src/core/pack/pack-tenants.ts'
import { modelOf, plainNames, siteOf } from './instances.ts'

const model = modelOf('a30-24gb')
const small = (count: number): readonly Ask[] => [{ profile: '1g.6gb', count, isExact: false }]

function tenants(counts: Readonly<Record<string, number>>): readonly Tenant[] {
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

for (const supply of [Number.NaN, -1, 1.5]) {
  t.test(`[PACK9] a supply of ${supply} is named`, (t) => {
    const want = { kind: 'bad-count', detail: `${supply} cards of empty is not a whole number from 0 on` }

    t.strictSame(packTenants({ model, tenants: tenants({ a: 1 }), empty: emptyOf(supply) }), want)
    t.strictSame(packTenants({ model, tenants: [], empty: emptyOf(supply) }), want)
    t.end()
  })
}

t.test('[PACK9] a tenant or a class of cards that is there twice is named', (t) => {
  const empty = emptyOf(3)
  const [a, b] = tenants({ a: 1, b: 1 })
  if (a === undefined || b === undefined) return t.fail('no tenants')
  const kept = { ...empty, id: 'kept', cost: 0 as const }
  const pack = (both: readonly Tenant[]): unknown => packTenants({ model, tenants: both, empty })

  t.strictSame(pack([a, a]), { kind: 'twice', id: 'a' })
  t.strictSame(pack([{ ...a, kept: [empty] }]), { kind: 'twice', id: 'empty' })
  t.strictSame(packTenants({ model, tenants: [a, b].map((one) => ({ ...one, kept: [kept] })), empty }), {
    kind: 'twice',
    id: 'kept'
  })
  return t.end()
})
