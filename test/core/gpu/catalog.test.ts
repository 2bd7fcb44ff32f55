import t from 'tap'
import {
  catalogSources,
  computeShareRatio,
  findCatalogProfile,
  findModelByProductLabel,
  type GpuModel,
  gpuModels
} from '../../../src/core/gpu/catalog.ts'
import { parseMigProfile, printMigProfile } from '../../../src/core/gpu/profile.ts'
import { migResourceName, parseGpuResourceName } from '../../../src/core/gpu/resource-name.ts'

const entries = gpuModels.flatMap((model) => model.profiles.map((profile) => ({ model, profile })))

function modelOf(label: string): GpuModel {
  const model = findModelByProductLabel(label)
  if (model === undefined) throw new Error(`no model ${label}`)
  return model
}

await t.test('[GPU1] holds 40 models and 254 profiles, and says what is unknown by leaving it out', (t) => {
  const without = (key: 'placements' | 'smCount' | 'instanceSmCount' | 'engines'): number =>
    entries.filter(({ profile }) => profile[key] === undefined).length

  t.equal(gpuModels.length, 40)
  t.equal(entries.length, 254)
  t.equal(gpuModels.filter((model) => model.profiles.length === 0).length, 5)
  t.equal(without('placements'), 13)
  t.equal(without('smCount'), 69)
  t.equal(without('instanceSmCount'), 68)
  t.equal(without('engines'), 67)
  t.equal(gpuModels.filter((model) => model.totalMemoryMiB === undefined).length, 10)
  t.equal(gpuModels.filter((model) => model.smTotal === undefined).length, 14)
  t.end()
})

await t.test('[GPU1] gives every id, label and profile name once', (t) => {
  const ids = gpuModels.map((model) => model.id)
  const labels = gpuModels.flatMap((model) => model.productLabels.map(({ value }) => value))
  const names = entries.map(({ model, profile }) => `${model.id} ${profile.name}`)

  for (const list of [ids, labels, names]) t.equal(new Set(list).size, list.length)
  t.end()
})

await t.test('[GPU1] names a known source for every model, profile and observed value', (t) => {
  const known = new Set(Object.keys(catalogSources))

  for (const model of gpuModels) {
    t.ok(model.sources.length > 0 && model.sources.every((source) => known.has(source)), model.id)
  }
  for (const { model, profile } of entries) {
    const used = [...profile.sources, ...profile.observedMiB.map(({ source }) => source)]
    t.ok(
      profile.sources.length > 0 && used.every((source) => known.has(source)),
      `${model.id} ${profile.name}`
    )
  }
  for (const [key, { what }] of Object.entries(catalogSources)) t.ok(what.length > 0, key)
  t.end()
})

await t.test('[GPU1] is frozen down to the starts of a placement', (t) => {
  const [model] = gpuModels

  t.ok(Object.isFrozen(gpuModels))
  t.ok(Object.isFrozen(model))
  t.ok(Object.isFrozen(model?.profiles[0]?.placements?.starts))
  t.ok(Object.isFrozen(catalogSources))
  t.end()
})

await t.test('[GPU1] agrees with the spelling of every profile and its resource name', (t) => {
  for (const { model, profile } of entries) {
    const name = `${model.id} ${profile.name}`
    const parsed = parseMigProfile(profile.name)

    t.equal(parsed?.gpuSlices, profile.computeSlices, name)
    t.equal(parsed === undefined ? '' : printMigProfile(parsed), profile.name, name)
    t.equal(migResourceName(profile.name), profile.resourceName, name)
    t.strictSame(parseGpuResourceName(profile.resourceName), { kind: 'mig', profile: profile.name }, name)
    t.ok(!profile.resourceName.includes('+'), name)
  }
  t.end()
})

await t.test('[GPU1] never gives the instances of one profile more than the card has', (t) => {
  for (const { model, profile } of entries) {
    const name = `${model.id} ${profile.name}`
    const { maxInstances, instanceSmCount = 0, smCount = 0 } = profile

    t.ok(maxInstances >= 1, name)
    t.ok(maxInstances * profile.computeSlices <= (model.computeSlices ?? 0), `${name} compute`)
    t.ok(maxInstances * profile.memorySlices <= (model.memorySlices ?? 0), `${name} memory slices`)
    t.ok(maxInstances * instanceSmCount <= (model.smTotal ?? Infinity), `${name} SMs`)
    t.ok(smCount <= (profile.instanceSmCount ?? Infinity), `${name} SMs of the pod`)
  }
  t.end()
})

await t.test('[GPU1] never gives the instances of one profile more engines than the card has', (t) => {
  for (const model of gpuModels) {
    const whole = model.profiles.find(({ computeSlices }) => computeSlices === model.computeSlices)
    const totals = model.engineTotals ?? whole?.engines ?? {}
    for (const { name, maxInstances, engines = {} } of model.profiles) {
      for (const engine of ['copy', 'decoder', 'encoder', 'jpeg', 'ofa'] as const) {
        const sum = maxInstances * (engines[engine] ?? 0)
        t.ok(sum <= (totals[engine] ?? Infinity), `${model.id} ${name} ${engine}`)
      }
    }
  }
  t.end()
})

await t.test('[GPU2] plans with the lowest measured memory, or marks the value as not measured', (t) => {
  const bases: Record<string, number> = {}

  for (const { model, profile } of entries) {
    const name = `${model.id} ${profile.name}`
    const observed = profile.observedMiB.map(({ miB }) => miB)
    const nameMiB = (parseMigProfile(profile.name)?.memoryGb ?? 0) * 1024
    bases[profile.usableBasis] = (bases[profile.usableBasis] ?? 0) + 1

    t.ok(profile.usableMiB > 0 && profile.usableMiB <= nameMiB, `${name} under its name`)
    t.ok(
      profile.maxInstances * profile.usableMiB <= (model.totalMemoryMiB ?? Infinity),
      `${name} under the card`
    )
    if (profile.usableBasis === 'measured') t.equal(profile.usableMiB, Math.min(...observed), name)
    else t.strictSame(observed, [], name)
  }

  t.strictSame(bases, { measured: 187, estimated: 48, 'lower-bound': 10, copied: 7, inferred: 2 })
  t.end()
})

await t.test('[GPU2] knows what slices hold, whatever their name promises', (t) => {
  const cases = [
    { label: 'NVIDIA-A100-SXM4-40GB', profile: '1g.5gb', want: 4864 },
    { label: 'NVIDIA-A100-SXM4-80GB', profile: '1g.10gb', want: 9728 },
    { label: 'NVIDIA-H100-80GB-HBM3', profile: '1g.10gb', want: 9984 },
    { label: 'NVIDIA-H200', profile: '1g.18gb', want: 16384 },
    { label: 'NVIDIA-H200', profile: '2g.35gb', want: 33024 },
    { label: 'NVIDIA-A30', profile: '4g.24gb', want: 24000 }
  ]

  for (const { label, profile, want } of cases) {
    t.equal(findCatalogProfile(modelOf(label), profile)?.usableMiB, want, `${label} ${profile}`)
  }
  t.end()
})

await t.test('[GPU8] keeps every placement inside the grid of its model', (t) => {
  const statuses: Record<string, number> = {}

  for (const { model, profile } of entries) {
    const name = `${model.id} ${profile.name}`
    const { placements } = profile
    const grid = model.placementGrid ?? 0
    statuses[profile.placementStatus] = (statuses[profile.placementStatus] ?? 0) + 1

    t.equal(placements === undefined, profile.placementStatus === 'undocumented', name)
    if (placements === undefined) continue
    const { starts, size } = placements
    t.equal(new Set(starts).size, starts.length, `${name} starts differ`)
    t.ok(starts.length >= profile.maxInstances, `${name} has a start for each`)
    t.ok(
      starts.every((start) => start + size <= grid),
      `${name} in the grid`
    )
    t.equal(size * (model.memorySlices ?? 0), profile.memorySlices * grid, `${name} spans its memory`)
  }

  t.strictSame(statuses, { observed: 185, assumed: 56, undocumented: 13 })
  t.end()
})

await t.test('[GPU8] has grids of 8 positions, of 4 on A30 and of 12 on RTX PRO 6000', (t) => {
  const grids = new Map<number | undefined, string[]>()
  for (const { id, placementGrid } of gpuModels)
    grids.set(placementGrid, [...(grids.get(placementGrid) ?? []), id])

  t.strictSame(grids.get(4), ['a30-24gb'])
  t.strictSame(grids.get(12), ['rtx-pro-6000-server', 'rtx-pro-6000-workstation', 'rtx-pro-6000-maxq'])
  t.equal(grids.get(8)?.length, 31)
  t.strictSame(grids.get(undefined), [
    'ax800',
    'rtx-pro-5000-48gb',
    'rtx-pro-4500-32gb',
    'thor-igpu',
    'rubin'
  ])
  t.equal(grids.size, 4)
  t.end()
})

await t.test('[GPU1] borrows profile tables only from models that have the same profiles', (t) => {
  const borrowers = gpuModels.filter((model) => model.profilesFrom !== undefined)

  t.equal(borrowers.length, 13)
  for (const model of borrowers) {
    const lender = gpuModels.find(({ id }) => id === model.profilesFrom)
    const table = (from: GpuModel | undefined): unknown =>
      from?.profiles.map(({ name, placements, maxInstances }) => ({ name, placements, maxInstances }))
    t.strictSame(table(model), table(lender), model.id)
  }
  t.end()
})

await t.test('[GPU11] points every alias at a profile of the model, and never hides one', (t) => {
  const aliases = gpuModels.flatMap((model) =>
    Object.entries(model.profileAliases ?? {}).map(([alias, name]) => ({ model, alias, name }))
  )

  t.equal(aliases.length, 9)
  for (const { model, alias, name } of aliases) {
    t.notOk(
      model.profiles.some((profile) => profile.name === alias),
      alias
    )
    t.equal(findCatalogProfile(model, alias)?.name, name, `${model.id} ${alias}`)
  }
  t.end()
})

await t.test('[GPU6] finds a model by every label, with and without the vendor', (t) => {
  for (const model of gpuModels) {
    for (const { value } of model.productLabels) {
      t.equal(findModelByProductLabel(value), model, value)
      t.equal(findModelByProductLabel(value.replace(/^NVIDIA-/, '')), model, `${value} of an old driver`)
    }
  }
  t.equal(findModelByProductLabel('A100-PCIE-40GB')?.id, 'a100-pcie-40gb')
  t.equal(findModelByProductLabel('A100-SXM4-40GB')?.id, 'a100-sxm4-40gb')
  for (const label of ['', 'NVIDIA-', 'NVIDIA-L4', 'nvidia-a30', 'NVIDIA-A30-SHARED', '__proto__']) {
    t.equal(findModelByProductLabel(label), undefined, label)
  }
  t.end()
})

await t.test('[GPU1] finds no profile that the model does not have', (t) => {
  for (const name of ['3g.20gb', '1g.5gb', '', 'constructor', '1g.10gb.me']) {
    t.equal(findCatalogProfile(modelOf('NVIDIA-A100-SXM4-80GB'), name), undefined, name)
  }
  t.end()
})

await t.test('[GPU7] tells the share of compute by SMs, and by slices where SMs are unknown', (t) => {
  const cases = [
    { label: 'NVIDIA-H100-80GB-HBM3', profile: '1g.10gb', want: { ratio: 16 / 132, basis: 'sm' } },
    { label: 'NVIDIA-H100-80GB-HBM3', profile: '1g.20gb', want: { ratio: 16 / 132, basis: 'sm' } },
    { label: 'NVIDIA-H100-80GB-HBM3', profile: '3g.40gb', want: { ratio: 60 / 132, basis: 'sm' } },
    { label: 'NVIDIA-A100-SXM4-80GB', profile: '7g.79gb', want: { ratio: 98 / 108, basis: 'sm' } },
    { label: 'NVIDIA-B200', profile: '1g.45gb', want: { ratio: 1 / 7, basis: 'slices' } },
    { label: 'NVIDIA-H800', profile: '2g.20gb', want: { ratio: 2 / 7, basis: 'slices' } },
    { label: 'NVIDIA-RTX-PRO-5000-Blackwell', profile: '1g.24gb', want: { ratio: 1 / 2, basis: 'slices' } },
    { label: 'NVIDIA-A30', profile: '1g.10gb', want: undefined },
    { label: 'NVIDIA-AX800', profile: '1g.10gb', want: undefined }
  ]

  for (const { label, profile, want } of cases) {
    t.strictSame(computeShareRatio(modelOf(label), profile), want, `${label} ${profile}`)
  }
  for (const { model, profile } of entries) {
    const share = computeShareRatio(model, profile.name)
    t.ok(share !== undefined && share.ratio > 0 && share.ratio <= 1, `${model.id} ${profile.name}`)
  }
  t.end()
})
