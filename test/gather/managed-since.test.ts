import t from 'tap'
import { optedInSinceMs, specSinceMs } from '../../src/gather/managed-since.ts'

const label = { 'f:metadata': { 'f:labels': { 'f:rightslice.dev/rightsize': {} } } }

function aManaged(...entries: readonly (readonly [time: string | undefined, fields: object])[]): unknown {
  return { metadata: { managedFields: entries.map(([time, fieldsV1]) => ({ time, fieldsV1 })) } }
}

for (const { name, raw, want } of [
  { name: 'who set the label', raw: aManaged(['2026-11-01T00:00:00Z', label]), want: '2026-11-01T00:00:00Z' },
  {
    name: 'the last of several',
    raw: aManaged(['2026-11-01T00:00:00Z', label], ['2026-11-03T00:00:00Z', label]),
    want: '2026-11-03T00:00:00Z'
  },
  {
    name: 'other fields do not count',
    raw: aManaged(['2026-11-01T00:00:00Z', label], ['2026-11-09T00:00:00Z', { 'f:status': {} }]),
    want: '2026-11-01T00:00:00Z'
  },
  { name: 'nobody noted it', raw: aManaged(['2026-11-01T00:00:00Z', { 'f:status': {} }]) },
  { name: 'no time', raw: aManaged([undefined, label], ['2026-11-01T00:00:00Z', label]) },
  { name: 'no object', raw: 'x' }
]) {
  t.test(`[RULE44] since when a namespace has its level: ${name}`, async (t) => {
    t.equal(optedInSinceMs(raw), want === undefined ? undefined : Date.parse(want))
  })
}

t.test('[RULE44] since when a spec is as it is', async (t) => {
  const raw = aManaged(['2026-11-02T00:00:00Z', { 'f:spec': { 'f:mode': {} } }])

  t.equal(specSinceMs(raw), Date.parse('2026-11-02T00:00:00Z'))
})
