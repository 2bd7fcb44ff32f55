import fc from 'fast-check'
import t from 'tap'
import { gpuModels } from '../../../src/core/gpu/catalog.ts'
import {
  type ProductLabel,
  parseProductLabel,
  printProductLabel
} from '../../../src/core/gpu/product-label.ts'

await t.test('[GPU6] takes a product label apart and puts it together again', (t) => {
  const model = 'NVIDIA-H100-80GB-HBM3'
  const cases: readonly { value: string; want: ProductLabel }[] = [
    { value: model, want: { model, layout: { kind: 'whole' }, shared: false } },
    { value: `${model}-SHARED`, want: { model, layout: { kind: 'whole' }, shared: true } },
    {
      value: `${model}-MIG-1g.10gb`,
      want: { model, layout: { kind: 'mig', profile: '1g.10gb' }, shared: false }
    },
    {
      value: `${model}-MIG-1g.10gb.me`,
      want: { model, layout: { kind: 'mig', profile: '1g.10gb+me' }, shared: false }
    },
    {
      value: `${model}-MIG-1g.10gb-SHARED`,
      want: { model, layout: { kind: 'mig', profile: '1g.10gb' }, shared: true }
    },
    {
      value: `${model}-MIG-1g.24gb-me-SHARED`,
      want: { model, layout: { kind: 'mig', profile: '1g.24gb-me' }, shared: true }
    },
    { value: `${model}-MIG-INVALID`, want: { model, layout: { kind: 'invalid' }, shared: false } },
    { value: '', want: { model: '', layout: { kind: 'whole' }, shared: false } }
  ]

  for (const { value, want } of cases) {
    t.strictSame(parseProductLabel(value), want, value)
    t.equal(printProductLabel(want), value, value)
  }
  t.end()
})

await t.test('[GPU6] takes a MIG layout that is no profile for an invalid one', (t) => {
  for (const tail of ['', '1g.10gb+me', 'mixed', '1g.10gb-shared']) {
    t.strictSame(
      parseProductLabel(`NVIDIA-A30-MIG-${tail}`),
      { model: 'NVIDIA-A30', layout: { kind: 'invalid' }, shared: false },
      tail
    )
  }
  t.end()
})

await t.test('[GPU6] every label of every model survives, whole, shared and cut', (t) => {
  for (const { productLabels, profiles } of gpuModels) {
    for (const { value: model } of productLabels) {
      const layouts = [
        { kind: 'whole' } as const,
        ...profiles.map(({ name }) => ({ kind: 'mig', profile: name }) as const)
      ]
      for (const layout of layouts) {
        for (const shared of [false, true]) {
          const label = { model, layout, shared }
          t.strictSame(parseProductLabel(printProductLabel(label)), label, printProductLabel(label))
        }
      }
    }
  }
  t.end()
})

await t.test('[GPU6] any text gives an answer, and prints as it was unless its layout is invalid', (t) => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('', '-SHARED', '-MIG-1g.5gb', '-MIG-x'), (head, tail) => {
      const value = `${head}${tail}`
      const label = parseProductLabel(value)
      return label.layout.kind === 'invalid' || printProductLabel(label) === value
    })
  )
  t.end()
})
