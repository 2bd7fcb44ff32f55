import t from 'tap'
import { gpuModels } from '../../../src/core/gpu/catalog.ts'
import { findPatterns, type Pattern, type Patterns, printSlots } from '../../../src/core/pack/patterns.ts'
import { allCards, cardByHand, holdsByHand, isValidCard } from './card-by-hand.ts'
import { cuttable, modelOf, plainNames } from './instances.ts'

type Found = Extract<Patterns, { kind: 'patterns' }>

function patternsOf(id: string, profiles: readonly string[], live: Pattern['placements'] = []): Found {
  const found = findPatterns(modelOf(id), profiles, live)
  if (found.kind !== 'patterns') throw new Error(found.reason)
  return found
}

function textsOf(patterns: readonly Pattern[]): readonly string[] {
  return patterns.map(({ slots }) => printSlots(slots))
}

t.test('[PACK2] a card with seven compute slices has 28 full patterns, of which 11 matter', (t) => {
  const { patterns, full } = patternsOf('a100-sxm4-40gb', plainNames(modelOf('a100-sxm4-40gb')))

  t.equal(full.length, 28)
  t.strictSame(textsOf(patterns), [
    '1 x 1g.10gb + 1 x 2g.10gb + 1 x 4g.20gb',
    '1 x 1g.10gb + 2 x 1g.5gb + 1 x 4g.20gb',
    '1 x 1g.10gb + 2 x 1g.5gb + 2 x 2g.10gb',
    '1 x 1g.10gb + 3 x 2g.10gb',
    '1 x 1g.10gb + 4 x 1g.5gb + 1 x 2g.10gb',
    '1 x 1g.10gb + 6 x 1g.5gb',
    '1 x 3g.20gb + 1 x 4g.20gb',
    '1 x 7g.40gb',
    '2 x 1g.5gb + 1 x 2g.10gb + 1 x 3g.20gb',
    '2 x 2g.10gb + 1 x 3g.20gb',
    '4 x 1g.5gb + 1 x 3g.20gb'
  ])
  t.end()
})

t.test('[PACK2] every model with known placements has the patterns of its family', (t) => {
  const want = new Map([
    [8, 11],
    [4, 4],
    [12, 4]
  ])

  for (const model of cuttable) {
    const { patterns } = patternsOf(model.id, plainNames(model))
    t.equal(patterns.length, want.get(model.placementGrid ?? 0), model.id)
  }
  t.end()
})

t.test(
  '[PACK2] media slices come with the card: one of them, and only beside what leaves it its engines',
  (t) => {
    const a30 = modelOf('a30-24gb')
    const { patterns } = patternsOf(
      'a30-24gb',
      a30.profiles.map(({ name }) => name)
    )

    t.strictSame(textsOf(patterns), [
      '1 x 1g.6gb + 1 x 1g.6gb+me + 1 x 2g.12gb',
      '1 x 2g.12gb + 1 x 2g.12gb+me',
      '1 x 4g.24gb',
      '2 x 1g.6gb + 1 x 2g.12gb+me',
      '3 x 1g.6gb + 1 x 1g.6gb+me'
    ])
    t.end()
  }
)

t.test('[PACK2] a policy that allows some profiles has the patterns of these alone', (t) => {
  const { patterns } = patternsOf('a100-sxm4-40gb', ['1g.5gb', '2g.10gb', '3g.20gb'])

  t.strictSame(textsOf(patterns), [
    '1 x 1g.5gb + 3 x 2g.10gb',
    '2 x 1g.5gb + 1 x 2g.10gb + 1 x 3g.20gb',
    '2 x 2g.10gb + 1 x 3g.20gb',
    '2 x 3g.20gb',
    '3 x 1g.5gb + 2 x 2g.10gb',
    '4 x 1g.5gb + 1 x 3g.20gb',
    '5 x 1g.5gb + 1 x 2g.10gb',
    '7 x 1g.5gb'
  ])
  t.end()
})

t.test('[PACK2] every pattern sits on the card at its placements, by rules written twice', (t) => {
  for (const model of cuttable) {
    const card = cardByHand(model.id)
    const names = model.profiles.map(({ name }) => name)
    for (const { slots, placements } of patternsOf(model.id, names).full) {
      t.ok(isValidCard(card, placements), `${model.id} ${printSlots(slots)}`)
      const counted = Object.entries(slots).flatMap(([name, count]) =>
        Array.from({ length: count }, () => name)
      )
      t.strictSame(placements.map(({ profile }) => profile).sort(), counted.sort())
    }
  }
  t.end()
})

t.test('[PACK2] whatever runs on any valid card runs on a pattern that is kept', (t) => {
  for (const id of ['a100-sxm4-80gb', 'gh200-144gb', 'a30-24gb', 'rtx-pro-6000-server']) {
    const card = cardByHand(id)
    const names = modelOf(id).profiles.map(({ name }) => name)
    const { patterns } = patternsOf(id, names)
    const ways = patterns.map(({ placements }) => placements.map(({ profile }) => profile))
    const fits = ([first, ...rest]: readonly string[], slots: readonly string[]): boolean =>
      first === undefined ||
      slots.some(
        (slot, index) =>
          holdsByHand(card, slot, { profile: first, isExact: false }) && fits(rest, slots.toSpliced(index, 1))
      )
    const texts = new Set(
      allCards(card, names).map((placed) =>
        placed
          .map(({ profile }) => profile)
          .sort()
          .join()
      )
    )
    const lost = [...texts].filter((text) => text !== '' && !ways.some((way) => fits(text.split(','), way)))

    t.strictSame(lost, [], id)
  }
  t.end()
})

t.test('[PACK4] beside instances that stay there are the patterns of what is left', (t) => {
  const profiles = plainNames(modelOf('a100-sxm4-40gb'))
  const left = patternsOf('a100-sxm4-40gb', profiles, [{ profile: '3g.20gb', start: 0, size: 4 }])
  const none = patternsOf('a100-sxm4-40gb', profiles, [{ profile: '7g.40gb', start: 0, size: 8 }])

  t.strictSame(textsOf(left.patterns), [
    '1 x 1g.10gb + 1 x 2g.10gb',
    '1 x 1g.10gb + 2 x 1g.5gb',
    '1 x 3g.20gb'
  ])
  t.strictSame(none.patterns, [])
  t.end()
})

t.test('[PACK3] a model whose placements nobody published has no pattern, and says so', (t) => {
  const unknown = gpuModels.filter(
    ({ placementGrid, profiles }) => placementGrid === undefined && profiles.length > 0
  )

  t.ok(unknown.length > 0)
  for (const model of unknown) {
    const found = findPatterns(model, plainNames(model))
    t.match(found, {
      kind: 'placements-unknown',
      reason: new RegExp(`may be placed on ${model.name.slice(0, 8)}`)
    })
  }
  t.match(findPatterns(modelOf('a100-sxm-64gb'), ['1g.8gb']), { kind: 'placements-unknown' })
  t.strictSame(findPatterns(modelOf('a30-24gb'), ['1g.5gb']), {
    kind: 'no-such-profile',
    reason: `${modelOf('a30-24gb').name} has none of these profiles`
  })
  t.end()
})
