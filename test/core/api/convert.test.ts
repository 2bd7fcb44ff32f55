import t from 'tap'
import { adviseConversion } from '../../../src/core/api/convert.ts'

const to = 'rightslice.dev/v1alpha1'

t.test('says what a foreign policy needs', async (t) => {
  const document = { kind: 'GpuPolicy', apiVersion: 'gpu.example.com/v1', metadata: { name: 'a' }, spec: {} }

  t.strictSame(adviseConversion(document), {
    subject: 'GpuPolicy/a',
    from: 'gpu.example.com/v1',
    to,
    warnings: []
  })
})

t.test('warns about a bare fraction as headroom, and not about other spellings', async (t) => {
  const warn = (headroom: unknown) =>
    adviseConversion({
      kind: 'GpuPolicy',
      apiVersion: to,
      metadata: { name: 'a' },
      spec: { mig: { headroom } }
    })?.warnings

  t.strictSame(warn(0.2), [
    'GpuPolicy/a: spec.mig.headroom: 0.2 is a bare fraction, which the API server refuses; write it as a string: headroom: "0.2"'
  ])
  for (const headroom of [1.2, -0.2, 20.5, 1e-7]) {
    t.strictSame(warn(headroom), [
      `GpuPolicy/a: spec.mig.headroom: ${headroom} is a bare fraction, which the API server refuses, and as a string too; write the percentage that is added to the peak, such as headroom: 20%`
    ])
  }
  for (const headroom of [20, '0.2', '20%', undefined]) t.strictSame(warn(headroom), [])
})

t.test('warns when apiVersion is missing or no text', async (t) => {
  for (const apiVersion of [undefined, 1, null]) {
    t.strictSame(adviseConversion({ kind: 'GpuPolicy', apiVersion }), {
      subject: 'GpuPolicy/(no name)',
      from: undefined,
      to,
      warnings: [`GpuPolicy/(no name): apiVersion is missing or no text; write apiVersion: ${to}`]
    })
  }
})

t.test('leaves everything else alone', async (t) => {
  for (const document of [null, 'text', [], { kind: 'Pod', apiVersion: 'v1' }, {}]) {
    t.equal(adviseConversion(document), undefined)
  }
})
