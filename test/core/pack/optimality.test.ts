import t from 'tap'
import type { Ask } from '../../../src/core/pack/ask.ts'
import { packModel } from '../../../src/core/pack/pack-model.ts'
import { packTenants } from '../../../src/core/pack/pack-tenants.ts'
import type { NoPacking, Packing, Proof } from '../../../src/core/pack/packing.ts'
import { randomFrom } from '../../bench/estimator/random.ts'
import { type AskByHand, FewestByHand } from './fewest-by-hand.ts'
import { cuttable, randomLive, type Site, siteOf } from './instances.ts'
import { faultsOf } from './proof-by-hand.ts'

const { uniform } = randomFrom(8)
const SITES_PER_MODEL = 4
const INSTANCES = 10_000

function choose<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(uniform() * list.length)]
}

function upTo(most: number): number {
  return Math.floor(uniform() * (most + 1))
}

function randomSite(index: number): Site {
  const model = cuttable[index % cuttable.length]
  if (model === undefined) throw new Error('no model')
  const names = model.profiles.map(({ name }) => name)
  const some = index < cuttable.length ? names : names.filter(() => uniform() < 0.55)
  return siteOf(model, some.length === 0 ? names.slice(0, 1) : some, {
    ...(uniform() < 0.3 ? { supply: upTo(4) } : {}),
    ...(uniform() < 0.4
      ? { kept: { live: randomLive(model, { choose, most: 4 }), supply: 1 + upTo(1) } }
      : {}),
    ...(uniform() < 0.3
      ? { frozen: { free: randomLive(model, { choose, most: 5 }), supply: 1 + upTo(1) } }
      : {})
  })
}

function randomAsks({ model, allowed }: Site, tenants: readonly string[]): readonly AskByHand[] {
  return Array.from({ length: 1 + upTo(5) }, () => ({
    profile: (uniform() < 0.8 ? choose(allowed) : choose(model.profiles)?.name) ?? '',
    isExact: uniform() < 0.12,
    tenant: choose(tenants) ?? ''
  }))
}

function counted(asks: readonly AskByHand[]): readonly Ask[] {
  return asks.map(({ profile, isExact }) => ({ profile, isExact, count: 1 }))
}

const sites = Array.from({ length: cuttable.length * SITES_PER_MODEL }, (_, index) => {
  const site = randomSite(index)
  return { site, brute: new FewestByHand(site.card, site.byHand) }
})

/** What is wrong with the answer: another number than the least, or a proof that does not hold. */
function judge(
  { site, brute }: (typeof sites)[number],
  asks: readonly AskByHand[],
  got: Packing | NoPacking
): unknown[] {
  const want = brute.fewest(asks)
  const [gpus, bound] = got.kind === 'packed' ? [got.gpus, got.bound] : [Infinity, Infinity]
  if (gpus !== want || bound !== want) return [{ model: site.model.id, asks, got, want }]
  const proof = proofOf(got)
  if (proof?.kind !== 'prices') return []
  const claim = {
    card: site.card,
    cards: site.byHand,
    asks: counted(asks),
    bound: isFinite(want) ? want : undefined
  }
  return faultsOf(proof, claim).map((fault) => ({ model: site.model.id, asks, got, fault }))
}

function proofOf(got: Packing | NoPacking): Proof | undefined {
  return 'proof' in got ? got.proof : undefined
}

t.test(
  '[PACK5] takes as few cards as trying everything finds, on 8,000 instances of every family and rule',
  (t) => {
    const kinds: string[] = []
    const wrong = Array.from({ length: INSTANCES * 0.8 }, (_, index) => sites[index % sites.length]).flatMap(
      (entry) => {
        if (entry === undefined) return ['no site']
        const asks = randomAsks(entry.site, ['all'])
        const got = packModel({ model: entry.site.model, cards: entry.site.cards, asks: counted(asks) })
        kinds.push(`${got.kind} ${proofOf(got)?.kind}`)
        return judge(entry, asks, got)
      }
    )

    t.strictSame(wrong, [])
    t.ok(kinds.filter((kind) => kind === 'packed prices').length > 5000)
    t.ok(kinds.filter((kind) => kind === 'too-few-cards prices').length > 300)
    t.ok(kinds.filter((kind) => kind === 'no-slot undefined').length > 300)
    t.end()
  }
)

t.test(
  '[PACK9] takes as few cards as trying everything finds when no card holds two tenants, on 2,000 instances',
  (t) => {
    const wrong: unknown[] = []
    let packed = 0
    for (let index = 0; index < INSTANCES * 0.2; index++) {
      const { site } = sites[index % sites.length] ?? {}
      const empty = site?.cards.find(({ id }) => id === 'empty')
      if (site === undefined || empty === undefined) continue
      const asks = randomAsks(site, ['a', 'b', 'c'])
      const tenants = ['a', 'b', 'c'].map((name) => ({
        name,
        asks: counted(asks.filter(({ tenant }) => tenant === name)),
        kept: name === 'a' ? site.cards.filter(({ id }) => id !== 'empty') : []
      }))

      const got = packTenants({ model: site.model, tenants, empty })

      const cards = site.byHand.map((entry) => (entry.id === 'empty' ? entry : { ...entry, tenant: 'a' }))
      const want = new FewestByHand(site.card, cards).fewest(asks)
      if (got.kind === 'packed') packed += 1
      if ((got.kind === 'packed' ? got.gpus : Infinity) !== want)
        wrong.push({ model: site.model.id, asks, got, want })
    }

    t.strictSame(wrong, [])
    t.ok(packed > 1200, `${packed} packed`)
    t.end()
  }
)
