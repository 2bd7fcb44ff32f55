import fc from 'fast-check'
import t from 'tap'
import {
  compareMigProfiles,
  fromDottedProfile,
  type MigProfile,
  parseMigProfile,
  printMigProfile,
  toDottedProfile
} from '../../../src/core/gpu/profile.ts'

const profiles: fc.Arbitrary<MigProfile> = fc
  .record({
    instanceSlices: fc.option(fc.integer({ min: 1, max: 98 }), { nil: undefined }),
    gpuSlices: fc.integer({ min: 1, max: 99 }),
    memoryGb: fc.integer({ min: 1, max: 9999 }),
    gfx: fc.boolean(),
    media: fc.constantFrom('', '+me', '+me.all', '-me')
  })
  .map(({ instanceSlices, gpuSlices, memoryGb, gfx, media }) => {
    const attributes = [...(gfx ? ['+gfx'] : []), ...(media === '' ? [] : [media])]
    const whole = { gpuSlices, memoryGb, attributes }
    return instanceSlices !== undefined && instanceSlices < gpuSlices ? { instanceSlices, ...whole } : whole
  })

await t.test('[GPU3] reads every spelling that a driver gives to a profile', (t) => {
  const cases: readonly { text: string; dotted: string; want: MigProfile }[] = [
    { text: '1g.10gb', dotted: '1g.10gb', want: { gpuSlices: 1, memoryGb: 10, attributes: [] } },
    { text: '3g.71gb', dotted: '3g.71gb', want: { gpuSlices: 3, memoryGb: 71, attributes: [] } },
    { text: '7g.269gb', dotted: '7g.269gb', want: { gpuSlices: 7, memoryGb: 269, attributes: [] } },
    { text: '1g.10gb+me', dotted: '1g.10gb.me', want: { gpuSlices: 1, memoryGb: 10, attributes: ['+me'] } },
    { text: '1g.24gb-me', dotted: '1g.24gb-me', want: { gpuSlices: 1, memoryGb: 24, attributes: ['-me'] } },
    {
      text: '1g.24gb+me.all',
      dotted: '1g.24gb.me.all',
      want: { gpuSlices: 1, memoryGb: 24, attributes: ['+me.all'] }
    },
    {
      text: '1g.24gb+gfx',
      dotted: '1g.24gb.gfx',
      want: { gpuSlices: 1, memoryGb: 24, attributes: ['+gfx'] }
    },
    {
      text: '1g.24gb+gfx+me.all',
      dotted: '1g.24gb.gfx.me.all',
      want: { gpuSlices: 1, memoryGb: 24, attributes: ['+gfx', '+me.all'] }
    },
    {
      text: '1c.2g.20gb',
      dotted: '1c.2g.20gb',
      want: { instanceSlices: 1, gpuSlices: 2, memoryGb: 20, attributes: [] }
    },
    {
      text: '1c.2g.12gb+me',
      dotted: '1c.2g.12gb.me',
      want: { instanceSlices: 1, gpuSlices: 2, memoryGb: 12, attributes: ['+me'] }
    }
  ]

  for (const { text, dotted, want } of cases) {
    t.strictSame(parseMigProfile(text), want, text)
    t.equal(printMigProfile(want), text, text)
    t.equal(toDottedProfile(text), dotted, text)
    t.equal(fromDottedProfile(dotted), text, dotted)
  }
  t.end()
})

await t.test('[GPU3] refuses every text that is not the canonical spelling', (t) => {
  const texts = [
    '',
    'mig-1g.10gb',
    'nvidia.com/mig-1g.10gb',
    '1G.10GB',
    ' 1g.10gb ',
    '1g.10gb\n',
    'all-1g.10gb',
    'all-balanced',
    'MIG1g',
    '7',
    '1g10gb',
    '1g.10',
    '01g.10gb',
    '0g.10gb',
    '1g.010gb',
    '1g.0gb',
    '1g.10gb.me',
    '1g.10gb+ME',
    '1g.10gb+',
    '1g.10gb+new',
    '1g.10gb-gfx',
    '1g.10gb+me+me',
    '1g.10gb+me-me',
    '1g.24gb+me+gfx',
    '1c.1g.10gb',
    '2c.1g.10gb',
    '1g.12345gb'
  ]

  for (const text of texts) t.equal(parseMigProfile(text), undefined, JSON.stringify(text))
  t.end()
})

await t.test('[GPU3] refuses dotted texts that no profile gives', (t) => {
  const texts = [
    '',
    '1g.10gb+me',
    '1g.10gb.all',
    '1g.10gb.shared',
    '1g.10gb.me.me',
    '1g.10gb.me-me',
    '2c.1g.10gb'
  ]

  for (const text of texts) t.equal(fromDottedProfile(text), undefined, text)
  t.end()
})

await t.test('[GPU3] orders profiles by memory, compute, compute instance and attributes', (t) => {
  const sorted = [
    '1g.5gb',
    '1g.5gb+me',
    '1g.10gb',
    '1c.2g.10gb',
    '2g.10gb',
    '1g.24gb',
    '1g.24gb+gfx',
    '1g.24gb+me',
    '1g.24gb+me.all',
    '1g.24gb-me',
    '3g.40gb',
    '4g.40gb'
  ]

  const parsed = sorted
    .toReversed()
    .map(parseMigProfile)
    .filter((profile) => profile !== undefined)
  const names = parsed.toSorted(compareMigProfiles).map(printMigProfile)

  t.strictSame(names, sorted)
  for (const [index, text] of sorted.slice(1).entries()) {
    const small = parseMigProfile(sorted[index] ?? '')
    const large = parseMigProfile(text)
    if (small === undefined || large === undefined) return t.fail(text)
    t.ok(compareMigProfiles(small, large) < 0 && compareMigProfiles(large, small) > 0, text)
  }
  return t.end()
})

await t.test('[GPU3] any profile survives printing and reading, plain and dotted', (t) => {
  fc.assert(
    fc.property(profiles, (profile) => {
      const text = printMigProfile(profile)
      return t.strictSame(parseMigProfile(text), profile) && fromDottedProfile(toDottedProfile(text)) === text
    }),
    { numRuns: 200 }
  )
  t.end()
})

await t.test('[GPU3] the order is antisymmetric and says 0 only for the same profile', (t) => {
  fc.assert(
    fc.property(profiles, profiles, (a, b) => {
      const same = printMigProfile(a) === printMigProfile(b)
      const isOpposite = Math.sign(compareMigProfiles(a, b)) + Math.sign(compareMigProfiles(b, a)) === 0
      return isOpposite && (compareMigProfiles(a, b) === 0) === same && compareMigProfiles(a, a) === 0
    }),
    { numRuns: 200 }
  )
  t.end()
})

await t.test('[GPU3] any text gives an answer, and what is read prints as it was', (t) => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^[0-9]?c?\.?[0-9]g\.[0-9]{1,3}gb[+.-]?[a-z.]{0,6}$/))

  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseMigProfile(text)
      const dotted = fromDottedProfile(text)
      const plainAgrees = parsed === undefined || printMigProfile(parsed) === text
      return plainAgrees && (dotted === undefined || toDottedProfile(dotted) === text)
    })
  )
  t.end()
})
