import t from 'tap'
import { findCatalogProfile, gpuModels } from '../../../src/core/gpu/catalog.ts'
import { serves, servingSteps } from '../../../src/core/pack/serving.ts'
import { modelOf, plainProfiles } from './instances.ts'

function isServed(id: string, slot: string, asked: string): boolean | undefined {
  const [offered, wanted] = [slot, asked].map((name) => findCatalogProfile(modelOf(id), name))
  return offered && wanted && serves(offered, wanted)
}

const cases = [
  { model: 'a100-sxm4-40gb', slot: '2g.10gb', asked: '1g.10gb', want: true },
  { model: 'a100-sxm4-40gb', slot: '1g.10gb', asked: '2g.10gb', want: false },
  { model: 'a100-sxm4-40gb', slot: '1g.5gb+me', asked: '1g.5gb', want: true },
  { model: 'a100-sxm4-40gb', slot: '3g.20gb', asked: '1g.5gb+me', want: false },
  { model: 'a100-sxm4-40gb', slot: '7g.40gb', asked: '1g.5gb+me', want: true },
  { model: 'gh200-144gb', slot: '3g.72gb', asked: '1g.18gb', want: true },
  { model: 'gh200-144gb', slot: '7g.144gb', asked: '1g.18gb+me', want: false },
  { model: 'rtx-pro-6000-server', slot: '1g.24gb', asked: '1g.24gb-me', want: true },
  { model: 'rtx-pro-6000-server', slot: '2g.48gb-me', asked: '1g.24gb', want: false },
  { model: 'rtx-pro-6000-server', slot: '4g.96gb', asked: '1g.24gb+gfx', want: false },
  { model: 'rtx-pro-6000-server', slot: '4g.96gb+gfx', asked: '1g.24gb+gfx', want: true },
  { model: 'rtx-pro-4500-32gb', slot: '1g.16gb-me', asked: '1g.16gb+gfx', want: false },
  { model: 'rtx-pro-4500-32gb', slot: '1g.16gb+gfx', asked: '1g.16gb-me', want: true }
]

for (const { model, slot, asked, want } of cases) {
  t.test(`[PACK1] a ${slot} of ${model} ${want ? 'serves' : 'does not serve'} a ${asked}`, (t) => {
    t.equal(isServed(model, slot, asked), want)
    t.end()
  })
}

t.test('[PACK1] plain profiles are a chain on every model, by memory and compute', (t) => {
  for (const model of gpuModels.filter(({ profiles }) => profiles.length > 0)) {
    const profiles = plainProfiles(model)
    const sorted = profiles.toSorted(
      (a, b) => a.computeSlices - b.computeSlices || a.memorySlices - b.memorySlices
    )
    const want = sorted.slice(1).map(({ name }, index) => ({ from: name, to: sorted[index]?.name }))

    const steps = servingSteps(profiles)

    t.strictSame(
      steps.toSorted(
        (a, b) =>
          want.findIndex(({ from }) => from === a.from) - want.findIndex(({ from }) => from === b.from)
      ),
      want,
      model.id
    )
  }
  t.end()
})

t.test('[PACK1] steps reach exactly what is served, on every model and with every attribute', (t) => {
  for (const { id, profiles } of gpuModels) {
    const steps = servingSteps(profiles)
    const reach = (from: string): ReadonlySet<string> => {
      const found = new Set([from])
      for (const name of found) for (const step of steps) if (step.from === name) found.add(step.to)
      return found
    }
    for (const slot of profiles) {
      const want = profiles.filter((asked) => serves(slot, asked)).map(({ name }) => name)
      t.strictSame([...reach(slot.name)].sort(), want.sort(), `${id} ${slot.name}`)
    }
  }
  t.end()
})
