import t from 'tap'
import { type GpuModel, gpuModels } from '../../../src/core/gpu/catalog.ts'
import {
  enumeratePlacedSets,
  firstMisplaced,
  isMaximalPlacedSet,
  type PlacedSet
} from '../../../src/core/gpu/placed-sets.ts'

type Counts = Readonly<Record<string, number>>

function countsOf(set: PlacedSet): Counts {
  const counts: Record<string, number> = {}
  for (const { profile } of set.toSorted((a, b) => (a.profile < b.profile ? -1 : 1))) {
    counts[profile] = (counts[profile] ?? 0) + 1
  }
  return counts
}

function isStrictSubset(small: Counts, large: Counts): boolean {
  return small !== large && Object.entries(small).every(([name, count]) => count <= (large[name] ?? 0))
}

/** Placed sets, maximal placed sets, multisets, multisets maximal at some placement, multisets without a superset. */
function figuresOf(model: GpuModel, profiles: readonly string[]): readonly number[] {
  const sets = enumeratePlacedSets(model, profiles)
  const maximal = sets.filter((set) => isMaximalPlacedSet(model, profiles, set))
  const multisets = [...new Map(sets.map((set) => [JSON.stringify(countsOf(set)), countsOf(set)])).values()]
  const maximalMultisets = new Set(maximal.map((set) => JSON.stringify(countsOf(set))))
  const topmost = multisets.filter((small) => !multisets.some((large) => isStrictSubset(small, large)))
  return [sets.length, maximal.length, multisets.length, maximalMultisets.size, topmost.length]
}

function namesOf(
  model: GpuModel,
  keep: (attributes: string, isDouble: boolean) => boolean
): readonly string[] {
  return model.profiles
    .filter((profile) =>
      keep(profile.name.replace(/^.*gb/, ''), profile.computeSlices === 1 && profile.memorySlices === 2)
    )
    .map((profile) => profile.name)
}

const plain = (attributes: string, isDouble: boolean): boolean => attributes === '' && !isDouble
const withDouble = (attributes: string): boolean => attributes === ''
const withoutGraphics = (attributes: string): boolean => attributes !== '+gfx'
const withoutOneMedia = (attributes: string): boolean => withoutGraphics(attributes) && attributes !== '+me'

const gridOf = (grid: number): readonly GpuModel[] =>
  gpuModels.filter((model) => model.placementGrid === grid && model.profiles.length > 0)

await t.test('[GPU8] counts the sets of every seven-slice model as published figures do', (t) => {
  const models = gridOf(8)

  t.equal(models.length, 29)
  for (const model of models) {
    t.strictSame(figuresOf(model, namesOf(model, plain)), [297, 19, 37, 14, 12], `${model.id} plain`)
    t.strictSame(
      figuresOf(model, namesOf(model, withDouble)),
      [722, 78, 77, 38, 28],
      `${model.id} double memory`
    )
    t.strictSame(
      figuresOf(
        model,
        namesOf(model, () => true)
      ),
      [2318, 239, 127, 64, 44],
      `${model.id} all`
    )
  }
  t.end()
})

await t.test('[GPU8] counts the sets of A30, whose two media profiles exclude each other', (t) => {
  const [a30] = gridOf(4)
  if (a30 === undefined) return t.end()

  t.strictSame(figuresOf(a30, namesOf(a30, plain)), [25, 5, 9, 4, 4])
  t.strictSame(
    figuresOf(
      a30,
      namesOf(a30, () => true)
    ),
    [75, 17, 19, 8, 8]
  )
  return t.end()
})

await t.test('[GPU8] counts the sets of RTX PRO 6000 on its grid of 12 with engine sums', (t) => {
  const models = gridOf(12)

  t.equal(models.length, 3)
  for (const model of models) {
    t.strictSame(figuresOf(model, namesOf(model, plain)), [25, 5, 9, 4, 4], `${model.id} plain`)
    t.strictSame(
      figuresOf(model, namesOf(model, withoutOneMedia)),
      [171, 49, 40, 19, 19],
      `${model.id} no +me`
    )
    t.strictSame(
      figuresOf(model, namesOf(model, withoutGraphics)),
      [303, 97, 56, 27, 27],
      `${model.id} no +gfx`
    )
  }
  t.end()
})

await t.test('[GPU8] finds the 19 full placements of a seven-slice card', (t) => {
  const want = [
    '1@0 1@1 1@2 1@3 1@4 1@5 1@6',
    '1@0 1@1 1@2 1@3 2@4 1@6',
    '1@0 1@1 1@2 1@3 3@4',
    '1@0 1@1 2@2 1@4 1@5 1@6',
    '1@0 1@1 2@2 2@4 1@6',
    '1@0 1@1 2@2 3@4',
    '2@0 1@2 1@3 1@4 1@5 1@6',
    '2@0 1@2 1@3 2@4 1@6',
    '2@0 1@2 1@3 3@4',
    '2@0 2@2 1@4 1@5 1@6',
    '2@0 2@2 2@4 1@6',
    '2@0 2@2 3@4',
    '3@0 1@4 1@5 1@6',
    '3@0 2@4 1@6',
    '3@0 3@4',
    '4@0 1@4 1@5 1@6',
    '4@0 2@4 1@6',
    '4@0 3@4',
    '7@0'
  ]

  for (const model of gridOf(8)) {
    const profiles = namesOf(model, plain)
    const full = enumeratePlacedSets(model, profiles).filter((set) =>
      isMaximalPlacedSet(model, profiles, set)
    )
    const texts = full.map((set) =>
      set.map(({ profile, start }) => `${profile.charAt(0)}@${start}`).join(' ')
    )
    t.strictSame(texts, want, model.id)
  }
  t.end()
})

await t.test('[GPU10] finds no set where placements are unknown', (t) => {
  const unknown = gpuModels.filter((model) => model.placementGrid === undefined)

  for (const model of unknown)
    t.strictSame(
      enumeratePlacedSets(
        model,
        namesOf(model, () => true)
      ),
      [],
      model.id
    )
  t.end()
})

t.test(
  'every set of a model is one that a card can hold, and the first instance that none can is told',
  (t) => {
    const model = gpuModels.find(({ id }) => id === 'a100-sxm4-80gb')
    if (model === undefined) return t.fail('no model')
    const at = (profile: string, start: number, size: number): PlacedSet[number] => ({ profile, start, size })

    t.ok(enumeratePlacedSets(model, ['1g.10gb', '3g.40gb']).every((set) => firstMisplaced(model, set) === -1))
    t.equal(firstMisplaced(model, [at('1g.10gb', 0, 1), at('3g.40gb', 0, 4)]), 1, 'it overlaps')
    t.equal(firstMisplaced(model, [at('3g.40gb', 1, 4)]), 0, 'no start of the profile')
    t.equal(firstMisplaced(model, [at('3g.40gb', 4, 3)]), 0, 'another size')
    t.equal(firstMisplaced(model, [at('1g.6gb', 0, 1)]), 0, 'no profile of the model')
    return t.end()
  }
)
