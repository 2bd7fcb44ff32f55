import fc from 'fast-check'
import t from 'tap'
import { pointer, segmentsOf } from '../../../src/core/patch/operation.ts'
import { holds } from '../../property/holds.ts'

const table: readonly { segments: readonly (string | number)[]; want: string }[] = [
  { segments: [], want: '' },
  { segments: [''], want: '/' },
  { segments: ['a', 'b'], want: '/a/b' },
  { segments: ['spec', 'containers', 0, 'resources'], want: '/spec/containers/0/resources' },
  { segments: ['nvidia.com/gpu'], want: '/nvidia.com~1gpu' },
  { segments: ['~'], want: '/~0' },
  { segments: ['~1'], want: '/~01' },
  { segments: ['~0/'], want: '/~00~1' },
  { segments: ['', ''], want: '//' }
]

for (const { segments, want } of table) {
  t.test(`${JSON.stringify(segments)} is the pointer "${want}"`, async (t) => {
    t.equal(pointer(...segments), want)
    t.strictSame(segmentsOf(want), segments.map(String))
  })
}

t.test('any segments come back from their pointer', async () => {
  const segment = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('~', '/', '0', '1', '~1', '~0', 'a') })
  )

  holds(fc.property(fc.array(segment), (segments) => isSame(segmentsOf(pointer(...segments)), segments)))
})

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
