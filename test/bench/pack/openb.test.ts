import t from 'tap'
import { modelOf } from '../../core/pack/instances.ts'
import { sharingPodsOf, sliceForShare } from './openb.ts'
import { traceRowsOf } from './trace-rows.ts'

const text = `name,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time
late,1,470,,900,1000
whole,1,1000,,0,10
two,2,1000,T4|P100,0,10
none,0,0,,0,10
early,1,50,T4,0,7200
`

t.test('pods that share one GPU are taken from the trace in the order in which they came', async (t) => {
  t.strictSame(sharingPodsOf(traceRowsOf(text)), [
    { gpuMilli: 50, fromSeconds: 0, toSeconds: 7200 },
    { gpuMilli: 470, fromSeconds: 900, toSeconds: 1000 }
  ])
})

const cases = [
  { gpuMilli: 125, byMemory: '1g.10gb', byBoth: '1g.10gb' },
  { gpuMilli: 126, byMemory: '1g.20gb', byBoth: '1g.20gb' },
  { gpuMilli: 142, byMemory: '1g.20gb', byBoth: '1g.20gb' },
  { gpuMilli: 143, byMemory: '1g.20gb', byBoth: '2g.20gb' },
  { gpuMilli: 250, byMemory: '1g.20gb', byBoth: '2g.20gb' },
  { gpuMilli: 251, byMemory: '3g.40gb', byBoth: '3g.40gb' },
  { gpuMilli: 428, byMemory: '3g.40gb', byBoth: '3g.40gb' },
  { gpuMilli: 429, byMemory: '3g.40gb', byBoth: '4g.40gb' },
  { gpuMilli: 500, byMemory: '3g.40gb', byBoth: '4g.40gb' },
  { gpuMilli: 501, byMemory: '7g.80gb', byBoth: '7g.80gb' }
]
for (const { gpuMilli, byMemory, byBoth } of cases) {
  t.test(
    `${gpuMilli} thousandths of a card are its ${byMemory} by memory, its ${byBoth} by both`,
    async (t) => {
      const model = modelOf('a100-sxm4-80gb')

      t.equal(sliceForShare(model, gpuMilli, 'memory'), byMemory)
      t.equal(sliceForShare(model, gpuMilli, 'memory and compute'), byBoth)
    }
  )
}
