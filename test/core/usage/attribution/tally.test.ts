import t from 'tap'
import { attributionReasonCodes, attributionReasons } from '../../../../src/core/usage/attribution/reasons.ts'
import { newTally, noteSentence } from '../../../../src/core/usage/attribution/tally.ts'
import { aSeries, deployment } from '../../../build/attribution.ts'

const { labels } = aSeries({ days: [] })
const whose = { namespace: 'team-a', workload: deployment('app'), container: 'main', labels }

t.test(
  '[USE20] counts are kept by reason, in the order of the table, and by workload where one is known',
  async (t) => {
    const tally = newTally()
    tally.add('zero', whose)
    tally.add('no-pod', undefined)
    tally.add('zero', { ...whose, workload: deployment('zoo') })
    for (const container of ['d', 'c', 'b', 'a']) tally.add('zero', { ...whose, container })
    tally.addOnce('no-memory-series', [])

    t.equal(JSON.stringify(tally.counts()), '{"no-pod":1,"zero":6}')
    t.strictSame(
      tally.notes().map(({ workload, count, containers }) => ({ name: workload.name, count, containers })),
      [
        { name: 'app', count: 5, containers: ['a', 'b', 'c'] },
        { name: 'zoo', count: 1, containers: ['main'] }
      ]
    )
  }
)

const sentences = [
  { name: 'one value', labels, want: '(1 daily value, on GPU-a)' },
  {
    name: 'a slice',
    labels: { ...labels, gpuInstanceId: '9' },
    want: '(1 daily value, on GPU-a (GPU instance 9))'
  },
  { name: 'a GPU without UUID', labels: { ...labels, gpuUuid: '' }, want: '(1 daily value, on GPU 0 of n1)' },
  {
    name: 'a GPU without UUID and node',
    labels: { ...labels, gpuUuid: '', node: '' },
    want: '(1 daily value, on GPU 0)'
  },
  { name: 'no device', labels: undefined, want: '(1 daily value)' }
]

for (const { name, labels: own, want } of sentences) {
  t.test(`[USE20] a note is a sentence: ${name}`, async (t) => {
    const tally = newTally()
    tally.add('after-end', { ...whose, container: '', labels: own })

    t.strictSame(tally.notes().map(noteSentence), [`${attributionReasons['after-end']} ${want}`])
  })
}

t.test('[USE15] missing memory is told with where else the container was seen', async (t) => {
  const tally = newTally()
  tally.addOnce('no-memory-series', [{ ...whose, labels: undefined }])

  t.strictSame(tally.notes().map(noteSentence), ['container main: the source has no memory series for it'])
})

t.test('[USE20] every reason has a sentence without a full stop', async (t) => {
  t.equal(attributionReasonCodes.length, Object.keys(attributionReasons).length)
  for (const code of attributionReasonCodes) t.match(attributionReasons[code], /^[a-z].+[^.]$/)
})
