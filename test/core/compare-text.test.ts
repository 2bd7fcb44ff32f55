import t from 'tap'
import { compareText } from '../../src/core/compare-text.ts'

t.test('texts come by their code units, whatever the language', (t) => {
  t.strictSame(['b', 'B', '\u00e4', 'a', ''].toSorted(compareText), ['', 'B', 'a', 'b', '\u00e4'])
  t.equal(compareText('a', 'a'), 0)
  t.end()
})
