import fc from 'fast-check'
import t from 'tap'
import { findModelByProductLabel, type GpuModel, gpuModels } from '../../../src/core/gpu/catalog.ts'
import { type Layout, type PlacedLayout, placeLayout } from '../../../src/core/gpu/geometry.ts'
import { fitsBeside, legalPlacements, type Placement } from '../../../src/core/gpu/placement.ts'

function modelOf(label: string): GpuModel {
  const model = findModelByProductLabel(label)
  if (model === undefined) throw new Error(`no model ${label}`)
  return model
}

const a100 = modelOf('A100-SXM4-40GB')
const a100x80 = modelOf('A100-SXM4-80GB')
const a30 = modelOf('A30')
const rtx6000 = modelOf('NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition')

/** The answer without its sentence and its starts. */
function short(placed: PlacedLayout): unknown {
  if (placed.fits) return { fits: true }
  return { fits: false, kind: placed.kind, profile: placed.profile, most: placed.most }
}

await t.test('[GPU9] accepts what fits and names what does not, with the most that does', (t) => {
  const no = (profile: string, most: number): unknown => ({ fits: false, kind: 'no-room', profile, most })
  const unknown = (profile: string): unknown => ({ fits: false, kind: 'unknown-profile', profile, most: 0 })
  const cases: readonly { model: GpuModel; layout: Layout; want: unknown }[] = [
    { model: a100, layout: {}, want: { fits: true } },
    { model: a100, layout: { '1g.5gb': 7 }, want: { fits: true } },
    { model: a100, layout: { '2g.10gb': 4 }, want: no('2g.10gb', 3) },
    { model: a100, layout: { '3g.20gb': 2 }, want: { fits: true } },
    { model: a100, layout: { '4g.20gb': 1, '3g.20gb': 1 }, want: { fits: true } },
    { model: a100, layout: { '4g.20gb': 2 }, want: no('4g.20gb', 1) },
    { model: a100, layout: { '3g.20gb': 2, '1g.5gb': 1 }, want: no('1g.5gb', 0) },
    { model: a100, layout: { '7g.40gb': 1, '1g.5gb': 1 }, want: no('1g.5gb', 0) },
    { model: a100, layout: { '3g.20gb': 1, '1g.5gb': 4 }, want: { fits: true } },
    { model: a100, layout: { '3g.20gb': 1, '1g.5gb': 5 }, want: no('1g.5gb', 4) },
    { model: a100, layout: { '3g.20gb': 1, '2g.10gb': 3 }, want: no('2g.10gb', 2) },
    { model: a100, layout: { '4g.20gb': 1, '2g.10gb': 2, '1g.5gb': 3 }, want: no('2g.10gb', 0) },
    { model: a100, layout: { '1g.5gb': 7, '1g.5gb+me': 1 }, want: no('1g.5gb+me', 0) },
    { model: a100, layout: { '1g.5gb+me': 2 }, want: no('1g.5gb+me', 1) },
    { model: a100, layout: { '1g.5gb': 1e15 }, want: no('1g.5gb', 7) },
    { model: a100, layout: { '1g.5gb': 1, '3g.20gb': 0, '9g.90gb': 0 }, want: { fits: true } },
    { model: a100, layout: { '1g.10gb': 4 }, want: { fits: true } },
    { model: a100, layout: { '1g.10gb': 7 }, want: no('1g.10gb', 4) },
    { model: a100x80, layout: { '1g.10gb': 7 }, want: { fits: true } },
    { model: a100x80, layout: { '1g.10gb': 5, '2g.20gb': 1 }, want: { fits: true } },
    { model: a100x80, layout: { '2g.20gb': 2, '3g.20gb': 1 }, want: unknown('3g.20gb') },
    { model: a100x80, layout: { '7g.79gb': 1 }, want: unknown('7g.79gb') },
    { model: a30, layout: { '1g.10gb': 4 }, want: unknown('1g.10gb') },
    { model: a30, layout: { '1g.6gb': 2, '2g.12gb': 1 }, want: { fits: true } },
    { model: a30, layout: { '1g.6gb+me': 1, '2g.12gb+me': 1 }, want: no('1g.6gb+me', 0) },
    { model: rtx6000, layout: { '1g.24gb+me.all': 1, '1g.24gb-me': 3 }, want: { fits: true } },
    { model: rtx6000, layout: { '1g.24gb+me.all': 1, '1g.24gb': 1 }, want: no('1g.24gb+me.all', 0) },
    { model: rtx6000, layout: { '2g.48gb': 1, '2g.48gb-me': 1 }, want: { fits: true } },
    { model: rtx6000, layout: { '2g.48gb+me.all': 1, '2g.48gb': 1 }, want: no('2g.48gb+me.all', 0) },
    { model: a100, layout: { '1c.2g.10gb': 1 }, want: unknown('1c.2g.10gb') },
    { model: a100, layout: { constructor: 1, '8g.1gb': 1 }, want: unknown('8g.1gb') }
  ]

  for (const { model, layout, want } of cases) {
    t.strictSame(short(placeLayout(model, layout)), want, `${model.id} ${JSON.stringify(layout)}`)
  }
  t.end()
})

await t.test('[GPU9] says where each instance goes, by start', (t) => {
  t.strictSame(placeLayout(a100, { '1g.5gb': 4, '3g.20gb': 1 }), {
    fits: true,
    placements: [
      { profile: '1g.5gb', start: 0, size: 1 },
      { profile: '1g.5gb', start: 1, size: 1 },
      { profile: '1g.5gb', start: 2, size: 1 },
      { profile: '1g.5gb', start: 3, size: 1 },
      { profile: '3g.20gb', start: 4, size: 4 }
    ]
  })
  t.end()
})

await t.test('[GPU9] explains a refusal in a sentence', (t) => {
  const placed = placeLayout(a100, { '2g.10gb': 4 })

  t.match(placed, { reason: '4 x 2g.10gb asked for, at most 3 fit on NVIDIA A100-SXM4-40GB beside the rest' })
  t.end()
})

await t.test('[GPU9] refuses numbers that count nothing', (t) => {
  for (const count of [-1, 0.5, Number.NaN, Infinity]) {
    t.strictSame(
      short(placeLayout(a100, { '1g.5gb': count })),
      { fits: false, kind: 'bad-count', profile: '1g.5gb', most: 0 },
      String(count)
    )
  }
  t.end()
})

await t.test('[GPU10] never invents a place that nobody published', (t) => {
  const unpublished = gpuModels.flatMap((model) =>
    model.profiles.filter(({ placements }) => placements === undefined).map(({ name }) => ({ model, name }))
  )

  t.equal(unpublished.length, 13)
  for (const { model, name } of unpublished) {
    const want = { fits: false, kind: 'placements-unknown', profile: name, most: 0 }
    t.strictSame(short(placeLayout(model, { [name]: 1 })), want, `${model.id} ${name}`)
  }
  t.end()
})

await t.test('[GPU11] accepts another name for a profile only where a node advertises it', (t) => {
  const placed = placeLayout(a100x80, { '7g.79gb': 1 }, { advertised: ['7g.79gb'] })

  t.strictSame(placed, { fits: true, placements: [{ profile: '7g.79gb', start: 0, size: 8 }] })
  t.match(placeLayout(a100x80, { '7g.79gb': 1 }, { advertised: ['7g.80gb'] }), { kind: 'unknown-profile' })
  t.end()
})

await t.test('[GPU9] fits every profile as often as its maximum says and not once more', (t) => {
  for (const model of gpuModels) {
    for (const { name, maxInstances, placements } of model.profiles) {
      if (placements === undefined) continue
      const more = placeLayout(model, { [name]: maxInstances + 1 })
      t.ok(placeLayout(model, { [name]: maxInstances }).fits, `${model.id} ${name}`)
      t.strictSame(short(more), { fits: false, kind: 'no-room', profile: name, most: maxInstances }, model.id)
    }
  }
  t.end()
})

await t.test(
  '[GPU9] any layout: what is accepted is legal and complete, the rest really has no room',
  (t) => {
    const models = gpuModels.filter((model) => model.placementGrid !== undefined && model.profiles.length > 0)
    const wishes = fc.constantFrom(...models).chain((model) =>
      fc.record({
        model: fc.constant(model),
        layout: fc.dictionary(
          fc.constantFrom(...model.profiles.map(({ name }) => name)),
          fc.integer({ min: 0, max: 4 }),
          { maxKeys: 4 }
        )
      })
    )

    fc.assert(
      fc.property(wishes, ({ model, layout }) => {
        const placed = placeLayout(model, layout)
        const shuffled = Object.fromEntries(Object.entries(layout).toReversed())
        if (!t.strictSame(placeLayout(model, shuffled), placed)) return false
        if (placed.fits) return isLegal(model, layout, placed.placements)
        return placed.kind === 'no-room' && placed.most < (layout[placed.profile] ?? 0)
      }),
      { numRuns: 150 }
    )
    t.end()
  }
)

function isLegal(model: GpuModel, layout: Layout, placements: readonly Placement[]): boolean {
  const alone = placements.every((placement, index) => {
    const starts = legalPlacements(model, placement.profile).map(({ start }) => start)
    return starts.includes(placement.start) && fitsBeside(model, placements.slice(0, index), placement)
  })
  const counted = Object.entries(layout).every(
    ([name, count]) => placements.filter(({ profile }) => profile === name).length === count
  )
  return alone && counted
}
