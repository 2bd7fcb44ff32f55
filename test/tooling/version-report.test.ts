import t from 'tap'
import type { FileResult } from './tap-lines.ts'
import { renderReports, reportOf, reportOfFault } from './version-report.ts'

function aFile(file: string, changes: Partial<FileResult> = {}): FileResult {
  const counts = { passed: 3, failed: 0, skipped: 0 }
  return { file, ok: true, counts, skips: [], output: [], ...changes }
}

const good = aFile('a.test.ts')
const skipping = aFile('b.test.ts', {
  counts: { passed: 1, failed: 0, skipped: 1 },
  skips: [{ name: 'shares by DRA', why: 'alpha and off' }]
})
const bad = aFile('c.test.ts', { ok: false, counts: { passed: 0, failed: 2, skipped: 0 } })

t.test('a release is told with its counts, and by name what failed and what was skipped', async (t) => {
  const report = reportOf('1.34', { code: 1, files: [good, skipping, bad] }, 90)

  t.strictSame(renderReports([report, reportOfFault('1.36', 'no Go')]).split('\n'), [
    'Kubernetes 1.34: 4 passed, 2 failed, 1 skipped (90 s)',
    '  failed   c.test.ts',
    '  skipped  b.test.ts: shares by DRA: alpha and off',
    'Kubernetes 1.36: not tested: no Go'
  ])
})

for (const { name, code, files, want } of [
  { name: 'all passed', code: 0, files: [good], want: true },
  { name: 'some were skipped', code: 0, files: [good, skipping], want: true },
  { name: 'one failed', code: 1, files: [good, bad], want: false },
  { name: 'tap failed without saying where', code: 1, files: [good], want: false },
  { name: 'tap was killed', code: null, files: [good], want: false },
  { name: 'nothing ran', code: 0, files: [], want: false }
])
  t.test(`a release is ${want ? 'good' : 'not good'} when ${name}`, async (t) => {
    t.equal(reportOf('1.36', { code, files }, 1).isGood, want)
  })

t.test('a release that could not be tested is not good', async (t) => {
  t.notOk(reportOfFault('1.34', 'no Go').isGood)
})
