import t from 'tap'
import { reasonCodes, reasons } from '../../../src/core/api/reasons.ts'

t.test('all codes are listed in the order of the table', async (t) => {
  t.strictSame(reasonCodes, Object.keys(reasons))
  t.equal(reasonCodes[0], 'FitsMigProfile')
})

t.test('a pod that was changed carries our marks', async (t) => {
  for (const { outcome, marks } of Object.values(reasons)) {
    if (outcome === 'changed') t.equal(marks, 'written')
  }
})

t.test('a pod that is none of our business is not touched', async (t) => {
  for (const code of [
    'NotAPodCreation',
    'MirrorPod',
    'SystemNamespace',
    'NamespaceNotOptedIn',
    'DecisionFailed'
  ] as const) {
    t.match(reasons[code], { outcome: 'kept', marks: 'untouched' })
  }
})
