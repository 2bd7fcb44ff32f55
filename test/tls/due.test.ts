import fc from 'fast-check'
import t from 'tap'
import { type Authority, isAmong, withoutKey } from '../../src/tls/authority.ts'
import { type AuthoritySet, bundleOf, membersOf, noAuthorities } from '../../src/tls/authority-set.ts'
import {
  type AuthorityView,
  authorityValidity,
  isLeafDue,
  type LeafView,
  leafValidity,
  planAuthorities,
  certificateTimes as times
} from '../../src/tls/due.ts'
import { aLeaf, anAuthority } from '../build/authority.ts'

const nowMs = Date.UTC(2026, 0, 10, 12)
const day = 86_400_000
const current = await anAuthority(authorityValidity(nowMs, times))
const next = await anAuthority(authorityValidity(nowMs, times))
const ageing = await anAuthority(authorityValidity(nowMs - 250 * day, times))
const ended = await anAuthority(authorityValidity(nowMs - 366 * day, times))
const unborn = await anAuthority(authorityValidity(nowMs + day, times))
const leaf = await aLeaf(current, leafValidity(current, nowMs, times))
const set: AuthoritySet = { ...noAuthorities, current }

const never = (): number => 0
const long = (): number => times.publishedMs

function view(changes: Partial<AuthorityView>): AuthorityView {
  const parts = { stored: set, remembered: undefined, leaf: undefined, believed: [], publishedMs: never }
  return { ...parts, nowMs, times, ...changes }
}

/** The plan with the set that it leads to when `fresh` is what was made. */
function planned(changes: Partial<AuthorityView>, fresh: Authority = next) {
  const plan = planAuthorities(view(changes))
  if (plan.kind === 'keep') return { kind: plan.kind }
  return {
    kind: plan.kind,
    reason: plan.reason,
    set: plan.kind === 'store' ? plan.set : plan.place(fresh)
  }
}

const cases: readonly {
  readonly name: string
  readonly given: Partial<AuthorityView>
  readonly want: ReturnType<typeof planned>
}[] = [
  { name: 'a young authority is kept', given: {}, want: { kind: 'keep' } },
  {
    name: 'where there is none the first is made',
    given: { stored: noAuthorities },
    want: { kind: 'issue', reason: 'first', set: { ...noAuthorities, current: next } }
  },
  {
    name: 'where the Secret is lost or unreadable, what is remembered is put back',
    given: { stored: noAuthorities, remembered: set, leaf },
    want: { kind: 'store', reason: 'restored', set }
  },
  {
    name: 'where nothing is remembered, what configurations believe stays believed',
    given: { stored: noAuthorities, believed: [current, ended] },
    want: {
      kind: 'issue',
      reason: 'unusable',
      set: { ...noAuthorities, current: next, previous: [withoutKey(current)] }
    }
  },
  {
    name: 'a key that is gone leads to a new authority, and the old one stays believed',
    given: { stored: { ...set, current: withoutKey(current) }, remembered: set, leaf },
    want: {
      kind: 'issue',
      reason: 'unusable',
      set: { ...noAuthorities, current: next, previous: [withoutKey(current)] }
    }
  },
  {
    name: 'an authority that has ended is replaced and forgotten',
    given: { stored: { ...set, current: ended }, remembered: { ...set, current: ended } },
    want: { kind: 'issue', reason: 'unusable', set: { ...noAuthorities, current: next } }
  },
  {
    name: 'an authority that has not begun is replaced and stays believed',
    given: { stored: { ...set, current: unborn } },
    want: {
      kind: 'issue',
      reason: 'unusable',
      set: { ...noAuthorities, current: next, previous: [withoutKey(unborn)] }
    }
  },
  {
    name: 'the next one steps in at once for one that cannot sign',
    given: { stored: { ...set, current: withoutKey(ageing), next } },
    want: {
      kind: 'store',
      reason: 'unusable',
      set: { ...noAuthorities, current: next, previous: [withoutKey(ageing)] }
    }
  },
  {
    name: 'after two thirds of its life the next one is made',
    given: { stored: { ...set, current: ageing } },
    want: { kind: 'issue', reason: 'ageing', set: { ...noAuthorities, current: ageing, next } }
  },
  {
    name: 'the next one waits until every configuration has held it for long enough',
    given: { stored: { ...set, current: ageing, next }, publishedMs: () => times.publishedMs - 1 },
    want: { kind: 'keep' }
  },
  {
    name: 'then it signs, and the one before is believed on, without its key',
    given: { stored: { ...set, current: ageing, next }, publishedMs: long },
    want: {
      kind: 'store',
      reason: 'published',
      set: { ...noAuthorities, current: next, previous: [withoutKey(ageing)] }
    }
  },
  {
    name: 'a next one without its key is given up',
    given: { stored: { ...set, current: ageing, next: withoutKey(next) }, publishedMs: long },
    want: { kind: 'store', reason: 'next-unusable', set: { ...noAuthorities, current: ageing } }
  },
  {
    name: 'the authority of a certificate in use is taken in when somebody left it out',
    given: { stored: { ...noAuthorities, current: next }, leaf },
    want: {
      kind: 'store',
      reason: 'adopted',
      set: { ...noAuthorities, current: next, previous: [withoutKey(current)] }
    }
  },
  {
    name: 'one of before is forgotten when it has ended, so that no certificate of it is left',
    given: { stored: { ...set, previous: [withoutKey(ageing), withoutKey(ended)] } },
    want: { kind: 'store', reason: 'ended', set: { ...set, previous: [withoutKey(ageing)] } }
  }
]

for (const { name, given, want } of cases) {
  t.test(name, async (t) => {
    t.strictSame(planned(given), want)
  })
}

const pool = [current, next, ageing, ended, unborn]
const someAuthority = fc
  .tuple(fc.constantFrom(...pool), fc.boolean())
  .map(([authority, hasKey]): Authority => (hasKey ? authority : withoutKey(authority)))
const someSet: fc.Arbitrary<AuthoritySet> = fc.record({
  current: fc.option(someAuthority, { nil: undefined }),
  next: fc.option(someAuthority, { nil: undefined }),
  previous: fc.array(someAuthority.map(withoutKey), { maxLength: 3 })
})
const someView = fc
  .record({
    stored: someSet,
    remembered: fc.option(someSet, { nil: undefined }),
    believed: fc.array(someAuthority.map(withoutKey), { maxLength: 3 }),
    hasLeaf: fc.boolean(),
    published: fc.boolean(),
    jumpDays: fc.integer({ min: -500, max: 500 })
  })
  .map(({ hasLeaf, published, jumpDays, ...rest }) =>
    view({
      ...rest,
      leaf: hasLeaf ? leaf : undefined,
      publishedMs: published ? long : never,
      nowMs: nowMs + jumpDays * day
    })
  )

/** What a look leads to, with an authority made at that time; planning goes on until it is content. */
async function settled(start: AuthorityView): Promise<AuthoritySet> {
  let now = start
  for (let round = 0; round < 6; round += 1) {
    const plan = planAuthorities(now)
    if (plan.kind === 'keep') return now.stored
    const stored =
      plan.kind === 'store' ? plan.set : plan.place(await anAuthority(authorityValidity(now.nowMs, times)))
    now = { ...now, stored, remembered: stored }
  }
  throw new Error('planning does not come to rest')
}

t.test(
  'whatever the Secret and the clock say, planning comes to rest on an authority that can sign',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(someView, async (start) => {
        const { current: found } = await settled(start)
        return (
          found?.keyPem !== undefined && found.notBeforeMs <= start.nowMs && start.nowMs < found.notAfterMs
        )
      }),
      { numRuns: 150 }
    )
    t.pass('held')
  }
)

t.test('no plan takes a living authority in use or in the current place out of the bundle', async (t) => {
  await fc.assert(
    fc.asyncProperty(someView, async (start) => {
      const end = await settled(start)
      const inUse = [start.leaf?.authority, start.stored.current].flatMap((one) => one ?? [])
      const living = inUse.filter(({ notAfterMs }) => notAfterMs > start.nowMs)
      const bundle = bundleOf(end, start.nowMs)
      return living.every((one) => isAmong(one, membersOf(end)) && bundle.includes(one.certPem))
    }),
    { numRuns: 150 }
  )
  t.pass('held')
})

t.test('nothing but the current and the next authority has a key', async (t) => {
  await fc.assert(
    fc.asyncProperty(someView, async (start) =>
      (await settled(start)).previous.every((one) => !('keyPem' in one))
    ),
    { numRuns: 80 }
  )
  t.pass('held')
})

function leafView(changes: Partial<LeafView>): LeafView {
  return { leaf, current, publishedMs: long, nowMs, times, spread: 0.5, ...changes }
}

const later = (days: number): number => nowMs + days * day

for (const { name, given, due } of [
  { name: 'the first one is due', given: { leaf: undefined, publishedMs: never }, due: true },
  {
    name: 'without an authority none can be made',
    given: { leaf: undefined, current: undefined },
    due: false
  },
  { name: 'a young one is kept', given: { nowMs: later(4.2) }, due: false },
  { name: 'after two thirds it is due', given: { nowMs: later(4.7) }, due: true },
  { name: 'the first replica renews earlier', given: { nowMs: later(4.4), spread: 1 }, due: true },
  { name: 'the last replica renews later', given: { nowMs: later(4.9), spread: 0 }, due: false },
  { name: 'one that has ended is due', given: { nowMs: later(8) }, due: true },
  { name: 'a clock that went back changes nothing', given: { nowMs: later(-0.02) }, due: false },
  {
    name: 'a clock before its beginning finds no authority either',
    given: { nowMs: later(-30) },
    due: false
  },
  { name: 'that of another authority waits', given: { current: next, publishedMs: never }, due: false },
  { name: 'and is due once the new one is known everywhere', given: { current: next }, due: true },
  {
    name: 'or once its own has ended',
    given: { current: next, publishedMs: never, nowMs: later(8) },
    due: true
  },
  {
    name: 'at the end of its authority it cannot be renewed',
    given: { leaf: { ...leaf, notAfterMs: current.notAfterMs }, nowMs: current.notAfterMs - day },
    due: false
  }
]) {
  t.test(`server certificate: ${name}`, async (t) => {
    t.equal(isLeafDue(leafView(given)), due)
  })
}

t.test('a server certificate begins with its authority and never outlives it', async (t) => {
  t.strictSame(leafValidity(current, nowMs, times), {
    notBeforeMs: current.notBeforeMs,
    notAfterMs: nowMs + 7 * day
  })
  t.equal(leafValidity(current, current.notAfterMs - day, times).notAfterMs, current.notAfterMs)
})
