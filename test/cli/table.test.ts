import t from 'tap'
import { alignedTable, markdownTable } from '../../src/cli/table.ts'

const hostile = ['\u001b[31mred', 'a\nb', '\u202etxt', 'a|b\\|c']

t.test('a row is one line of printable ASCII, whatever its cells hold', async (t) => {
  t.strictSame(alignedTable(['A', 'B', 'C', 'D'], [hostile]), [
    'A         B    C     D',
    '?[31mred  a?b  ?txt  a|b\\|c'
  ])
})

t.test('no cell of a Markdown table begins another', async (t) => {
  t.strictSame(markdownTable(['A', 'B', 'C', 'D'], [hostile]).slice(2), [
    '| ?[31mred | a?b | ?txt | a\\|b\\\\\\|c |'
  ])
})
