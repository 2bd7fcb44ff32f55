import t from 'tap'
import { type FileResult, TapReader } from './tap-lines.ts'

function readAll(text: string): readonly FileResult[] {
  const reader = new TapReader()
  return text.split('\n').flatMap((line) => reader.read(line) ?? [])
}

const GREEN = `TAP version 14
1..1
# Subtest: test/a.test.ts
    # Subtest: outer
        ok 1 - first
        # Subtest: inner
            ok 1 - second
            1..1
        ok 2 - inner # time=1ms
        ok 3 - left out # SKIP no programs
        1..3
    ok 1 - outer # time=2ms
    1..1
ok 1 - test/a.test.ts # time=3ms`

t.test('an assertion counts once, the line that closes a subtest does not', (t) => {
  t.match(readAll(GREEN), [
    { file: 'test/a.test.ts', ok: true, counts: { passed: 2, failed: 0, skipped: 1 } }
  ])
  t.end()
})

t.test('what is left out is told by name and with its reason, also a whole file', (t) => {
  const whole = 'ok 2 - test/b.test.ts # SKIP'

  t.strictSame(
    readAll(`${GREEN}\n${whole}`).map(({ skips }) => skips),
    [[{ name: 'left out', why: 'no programs' }], [{ name: 'test/b.test.ts', why: 'no reason is given' }]]
  )
  t.end()
})

t.test('a failed assertion is counted and its output is kept', (t) => {
  const red = GREEN.replace('ok 1 - second', 'not ok 1 - second').replaceAll('ok 1 - test', 'not ok 1 - test')

  const [result] = readAll(red)

  t.match(result, { ok: false, counts: { passed: 1, failed: 1, skipped: 1 } })
  t.ok(result?.output.includes('            not ok 1 - second'))
  t.end()
})

t.test('a file that fails without an assertion counts as one failure', (t) => {
  t.match(readAll('not ok 1 - test/a.test.ts # time=1ms'), [{ ok: false, counts: { passed: 0, failed: 1 } }])
  t.end()
})

t.test('a buffered file is closed by its own line', (t) => {
  const buffered = 'ok 1 - test/a.test.ts {\n    ok 1 - one\n    1..1\n}'
  t.equal(readAll(buffered).length, 1)
  t.end()
})
