import t from 'tap'
import { findModelByProductLabel, type GpuModel } from '../../../src/core/gpu/catalog.ts'
import {
  comparePlacements,
  fitsBeside,
  freeStarts,
  legalPlacements,
  type Placement
} from '../../../src/core/gpu/placement.ts'

function modelOf(label: string): GpuModel {
  const model = findModelByProductLabel(label)
  if (model === undefined) throw new Error(`no model ${label}`)
  return model
}

const a100 = modelOf('NVIDIA-A100-SXM4-40GB')
const { placementGrid: _, ...a100WithoutGrid } = a100
const a30 = modelOf('NVIDIA-A30')
const rtx6000 = modelOf('NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition')
const rtx5000 = modelOf('NVIDIA-RTX-PRO-5000-Blackwell')

await t.test('[GPU8] offers the legal places of a profile, the highest first', (t) => {
  t.strictSame(legalPlacements(a100, '3g.20gb'), [
    { profile: '3g.20gb', start: 4, size: 4 },
    { profile: '3g.20gb', start: 0, size: 4 }
  ])
  t.strictSame(
    legalPlacements(rtx6000, '1g.24gb').map(({ start }) => start),
    [9, 6, 3, 0]
  )
  t.strictSame(legalPlacements(a100, '3g.40gb'), [])
  t.strictSame(legalPlacements(rtx5000, '1g.24gb'), [])
  t.strictSame(legalPlacements(a100WithoutGrid, '3g.20gb'), [])
  t.end()
})

await t.test('[GPU8] finds the starts that live instances leave', (t) => {
  const at = (profile: string, size: number, ...starts: number[]): readonly Placement[] =>
    starts.map((start) => ({ profile, start, size }))
  const cases: readonly {
    name: string
    model: GpuModel
    live: readonly Placement[]
    want: Record<string, readonly number[]>
  }[] = [
    {
      name: 'an empty A100',
      model: a100,
      live: [],
      want: { '1g.5gb': [0, 1, 2, 3, 4, 5, 6], '1g.10gb': [0, 2, 4, 6], '2g.10gb': [0, 2, 4], '7g.40gb': [0] }
    },
    {
      name: 'A100 with 1g at 6 and at 0',
      model: a100,
      live: at('1g.5gb', 1, 6, 0),
      want: { '3g.20gb': [], '4g.20gb': [], '7g.40gb': [], '2g.10gb': [2, 4], '1g.5gb': [1, 2, 3, 4, 5] }
    },
    {
      name: 'A100 with 3g at 0',
      model: a100,
      live: at('3g.20gb', 4, 0),
      want: { '4g.20gb': [], '3g.20gb': [4], '1g.5gb': [4, 5, 6], '2g.10gb': [4], '1g.10gb': [4, 6] }
    },
    {
      name: 'A100 with 3g at 4',
      model: a100,
      live: at('3g.20gb', 4, 4),
      want: { '4g.20gb': [0], '1g.5gb': [0, 1, 2, 3], '2g.10gb': [0, 2] }
    },
    {
      name: 'A100 with double memory at 6',
      model: a100,
      live: at('1g.10gb', 2, 6),
      want: { '3g.20gb': [0], '4g.20gb': [0], '7g.40gb': [] }
    },
    {
      name: 'A100 with the one media instance',
      model: a100,
      live: at('1g.5gb+me', 1, 2),
      want: { '1g.5gb+me': [], '1g.5gb': [0, 1, 3, 4, 5, 6] }
    },
    {
      name: 'A100 with all compute taken by 4g and 3g',
      model: a100,
      live: [...at('4g.20gb', 4, 0), ...at('3g.20gb', 4, 4)],
      want: { '1g.5gb': [], '1g.10gb': [] }
    },
    {
      name: 'RTX PRO 6000 with 1g at 3 and at 6',
      model: rtx6000,
      live: at('1g.24gb', 3, 3, 6),
      want: { '2g.48gb': [], '1g.24gb': [0, 9] }
    },
    {
      name: 'RTX PRO 6000 with all media engines in one slice',
      model: rtx6000,
      live: at('1g.24gb+me.all', 3, 0),
      want: { '1g.24gb': [], '1g.24gb+me': [], '1g.24gb-me': [3, 6, 9], '2g.48gb': [], '2g.48gb-me': [6] }
    },
    {
      name: 'RTX PRO 6000 with the optical flow unit taken',
      model: rtx6000,
      live: at('1g.24gb+me', 3, 0),
      want: { '1g.24gb+me': [], '1g.24gb': [3, 6, 9], '2g.48gb': [6] }
    },
    {
      name: 'A30 with 1g at 1 and at 2',
      model: a30,
      live: at('1g.6gb', 1, 1, 2),
      want: { '2g.12gb': [], '1g.6gb': [0, 3] }
    },
    {
      name: 'A30 with a media 1g',
      model: a30,
      live: at('1g.6gb+me', 1, 0),
      want: { '2g.12gb+me': [], '2g.12gb': [2], '1g.6gb+me': [] }
    },
    {
      name: 'A100 with an instance that nobody knows',
      model: a100,
      live: at('1g.99gb', 1, 0),
      want: { '1g.5gb': [], '3g.20gb': [] }
    },
    { name: 'a card without published placements', model: rtx5000, live: [], want: { '1g.24gb': [] } }
  ]

  for (const { name, model, live, want } of cases) {
    const got = Object.fromEntries(
      Object.keys(want).map((profile) => [profile, freeStarts(model, profile, live)])
    )
    t.strictSame(got, want, name)
  }
  t.end()
})

await t.test('[GPU8] binds by positions and maximum where the card is unknown', (t) => {
  const { computeSlices: _slices, smTotal: _sms, ...bare } = a100
  const live = [{ profile: '4g.20gb', start: 0, size: 4 }]

  t.strictSame(freeStarts(bare, '1g.5gb', live), [4, 5, 6])
  t.strictSame(freeStarts(bare, '4g.20gb', live), [])
  t.ok(fitsBeside(bare, live, { profile: '3g.20gb', start: 4, size: 4 }))
  t.notOk(fitsBeside(bare, live, { profile: '4g.20gb', start: 4, size: 4 }))
  t.end()
})

await t.test('[GPU8] lets nothing unknown be created', (t) => {
  t.notOk(fitsBeside(a100, [], { profile: '1g.99gb', start: 0, size: 1 }))
  t.ok(fitsBeside(a100, [], { profile: '1g.5gb', start: 0, size: 1 }))
  t.end()
})

await t.test('[GPU8] counts another name for a profile as that profile', (t) => {
  const a100x80 = modelOf('NVIDIA-A100-SXM4-80GB')

  t.strictSame(freeStarts(a100x80, '7g.79gb', []), [0])
  t.strictSame(freeStarts(a100x80, '1g.10gb', [{ profile: '7g.79gb', start: 0, size: 8 }]), [])
  t.end()
})

await t.test('[GPU8] orders placements by start, then by name', (t) => {
  const sorted: readonly Placement[] = [
    { profile: '1g.5gb', start: 0, size: 1 },
    { profile: '3g.20gb', start: 0, size: 4 },
    { profile: '1g.5gb', start: 4, size: 1 }
  ]

  t.strictSame(sorted.toReversed().toSorted(comparePlacements), sorted)
  for (const placement of sorted) t.equal(comparePlacements(placement, { ...placement }), 0)
  t.end()
})
