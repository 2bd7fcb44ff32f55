import t from 'tap'
import { findModelByProductLabel, type GpuModel, gpuModels } from '../../../src/core/gpu/catalog.ts'
import { placeLayout } from '../../../src/core/gpu/geometry.ts'
import { resolveLayout } from '../../../src/core/gpu/layout-name.ts'
import { toDottedProfile } from '../../../src/core/gpu/profile.ts'

function modelOf(label: string): GpuModel {
  const model = findModelByProductLabel(label)
  if (model === undefined) throw new Error(`no model ${label}`)
  return model
}

await t.test('[GPU12] gives the counts that a layout name means on a model', (t) => {
  const cases = [
    { label: 'A100-SXM4-40GB', name: 'all-1g.10gb', want: { '1g.10gb': 4 } },
    { label: 'A100-SXM4-80GB', name: 'all-1g.10gb', want: { '1g.10gb': 7 } },
    { label: 'A100-SXM4-80GB', name: 'all-1g.10gb.me', want: { '1g.10gb+me': 1 } },
    { label: 'A100-SXM4-80GB', name: 'all-7g.79gb', want: { '7g.79gb': 1 } },
    { label: 'NVIDIA-A30', name: 'all-balanced', want: { '1g.6gb': 2, '2g.12gb': 1 } },
    {
      label: 'NVIDIA-H100-80GB-HBM3',
      name: 'all-balanced',
      want: { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 }
    },
    {
      label: 'NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition',
      name: 'all-balanced',
      want: { '1g.24gb': 2, '2g.48gb': 1 }
    },
    {
      label: 'NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition',
      name: 'all-1g.24gb.me.all',
      want: { '1g.24gb+me.all': 1 }
    }
  ]

  for (const { label, name, want } of cases) {
    t.strictSame(resolveLayout(modelOf(label), name), { kind: 'layout', layout: want }, `${label} ${name}`)
  }
  t.end()
})

await t.test('[GPU12] takes counts as they are', (t) => {
  const layout = { '1g.5gb': 2, '9g.9gb': 1 }

  t.strictSame(resolveLayout(modelOf('A100-SXM4-40GB'), layout), { kind: 'layout', layout })
  t.end()
})

await t.test('[GPU12] invents no counts for a name that says none', (t) => {
  const cases = [
    { label: 'NVIDIA-A30', name: 'all-1g.10gb', profile: '1g.10gb' },
    { label: 'NVIDIA-A30', name: 'all-disabled' },
    { label: 'NVIDIA-A30', name: 'all-enabled' },
    { label: 'NVIDIA-A30', name: '1g.6gb' },
    { label: 'NVIDIA-A30', name: 'all-1g.6gb+me' },
    { label: 'NVIDIA-A30', name: '' },
    { label: 'NVIDIA-RTX-PRO-5000-Blackwell', name: 'all-balanced' },
    { label: 'NVIDIA-A100-SXM-64GB', name: 'all-balanced' },
    { label: 'NVIDIA-AX800', name: 'all-balanced' }
  ]

  for (const { label, name, profile } of cases) {
    const got = resolveLayout(modelOf(label), name)
    t.equal(got.kind, 'unknown', `${label} ${name}`)
    t.equal(got.kind === 'unknown' ? got.profile : '', profile, `${label} ${name}`)
  }
  t.end()
})

await t.test('[GPU12] the layout of every profile, and the balanced one, fits its model', (t) => {
  for (const model of gpuModels.filter(({ placementGrid }) => placementGrid !== undefined)) {
    const names = model.profiles.map(({ name }) => `all-${toDottedProfile(name)}`)
    for (const name of model.profiles.length === 0 ? [] : [...names, 'all-balanced']) {
      const resolved = resolveLayout(model, name)
      t.ok(resolved.kind === 'layout' && placeLayout(model, resolved.layout).fits, `${model.id} ${name}`)
    }
  }
  t.end()
})
