import t from 'tap'
import { showList, showText } from '../../../src/core/rules/show.ts'

t.test('[RULE7] a text of a user is quoted, cleaned and cut', async (t) => {
  t.equal(showText(' all '), '" all "')
  t.equal(showText('a\nb\u001b[31m"\\é'), '"a?b?[31m???"')
  t.equal(showText('x'.repeat(64)), `"${'x'.repeat(64)}"`)
  t.equal(showText('x'.repeat(1_000_000)), `"${'x'.repeat(61)}..."`)
})

t.test('[RULE7] of many values the first eight are told', async (t) => {
  t.equal(showList(['a', 'b']), 'a, b')
  t.equal(showList('abcdefghij'.split('')), 'a, b, c, d, e, f, g, h and 2 more')
})
