import t from 'tap'
import { computeShareRatio, findCatalogProfile, gpuModels } from '../../../src/core/gpu/catalog.ts'
import { lowestProfile } from '../../../src/core/gpu/lowest-profile.ts'

t.test('a profile holds at least what the smallest of its models gives', async (t) => {
  const models = gpuModels.filter((model) => findCatalogProfile(model, '1g.10gb') !== undefined)

  const { usableMiB, computeRatio } = lowestProfile('1g.10gb')

  t.ok(models.length > 1)
  t.equal(usableMiB, 9728)
  for (const model of models) {
    const memoryMiB = findCatalogProfile(model, '1g.10gb')?.usableMiB ?? 0
    const ratio = computeShareRatio(model, '1g.10gb')?.ratio ?? 1
    t.ok((usableMiB ?? 0) <= memoryMiB, `${model.id} holds ${memoryMiB}`)
    t.ok((computeRatio ?? 1) <= ratio, `${model.id} has ${ratio}`)
  }
})

t.test('every profile of the catalogue has a lowest memory, no larger than its name says', async (t) => {
  for (const { name } of gpuModels.flatMap(({ profiles }) => profiles)) {
    const { usableMiB = 0, computeRatio = 1 } = lowestProfile(name)
    const named = Number(/\.(\d+)gb/.exec(name)?.[1])

    t.ok(usableMiB > 0 && usableMiB < named * 1024, `${name}: ${usableMiB}`)
    t.ok(computeRatio > 0 && computeRatio <= 1, `${name}: ${computeRatio}`)
  }
})

t.test('nothing is known of a profile that no model has', async (t) => {
  t.strictSame(lowestProfile('5g.99gb'), { usableMiB: undefined, computeRatio: undefined })
})
