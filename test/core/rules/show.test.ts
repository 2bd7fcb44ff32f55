import t from 'tap'
import { showLine, showList, showName, showText } from '../../../src/core/rules/show.ts'

t.test('[RULE7] a text of a user is quoted, cleaned and cut', async (t) => {
  t.equal(showText(' all '), '" all "')
  t.equal(showText('a\nb\u001b[31m"\\é'), '"a?b?[31m???"')
  t.equal(showText('x'.repeat(64)), `"${'x'.repeat(64)}"`)
  t.equal(showText('x'.repeat(1_000_000)), `"${'x'.repeat(61)}..."`)
})

t.test('[RULE7] a name, of which an annotation may be a part, is cleaned and cut', async (t) => {
  t.equal(showName('Workflow/train/fit\u001b[31m'), 'Workflow/train/fit?[31m')
  t.equal(showName('x'.repeat(300)), 'x'.repeat(300))
  t.equal(showName('x'.repeat(301)), `${'x'.repeat(297)}...`)
})

t.test('[RULE7] a line is cleaned and stays whole', async (t) => {
  t.equal(showLine(`a\n\u202eb ${'x'.repeat(400)}`), `a??b ${'x'.repeat(400)}`)
})

t.test('[RULE7] of many values the first eight are told', async (t) => {
  t.equal(showList(['a', 'b']), 'a, b')
  t.equal(showList('abcdefghij'.split('')), 'a, b, c, d, e, f, g, h and 2 more')
})
