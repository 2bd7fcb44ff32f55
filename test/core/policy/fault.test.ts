import t from 'tap'
import { printFault, printPath, printValue } from '../../../src/core/policy/fault.ts'

t.test('prints a fault on one line with its field and value', async (t) => {
  t.equal(
    printFault({ field: 'spec.mode', value: 'Auto', message: 'must be …' }),
    'spec.mode: "Auto" must be …'
  )
  t.equal(printFault({ field: 'spec', value: undefined, message: 'is missing' }), 'spec: (absent) is missing')
})

t.test('shows numbers that JSON lacks, and cuts long values', async (t) => {
  t.equal(printValue(Number.NaN), 'NaN')
  t.equal(printValue(null), 'null')
  t.equal(printValue('x'.repeat(100)), `"${'x'.repeat(79)}…`)
})

t.test('prints paths as the API server does', async (t) => {
  t.equal(printPath(['spec', 'windows', 0, 'duration']), 'spec.windows[0].duration')
  t.equal(printPath(['spec', 'nodeSelector', 'a.b/c']), 'spec.nodeSelector[a.b/c]')
  t.equal(printPath([]), '')
})
