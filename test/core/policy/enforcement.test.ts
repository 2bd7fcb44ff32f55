import t from 'tap'
import { enforcementOf, isSystemNamespace, lowestLevel } from '../../../src/core/policy/enforcement.ts'

t.test('a label means warn or enforce when it says exactly that, and else off', async (t) => {
  const words = ['warn', 'enforce', 'off', 'Enforce', 'true', '']

  t.strictSame(
    words.map((word) => enforcementOf({ 'rightslice.dev/rightsize': word })),
    ['warn', 'enforce', 'off', 'off', 'off', 'off']
  )
  t.equal(enforcementOf({}), 'off')
})

t.test('the least strict of several levels', async (t) => {
  t.equal(lowestLevel('enforce'), 'enforce')
  t.equal(lowestLevel('enforce', 'warn', 'enforce'), 'warn')
  t.equal(lowestLevel('warn', 'off'), 'off')
})

t.test('a pattern with a star stands for all that start so', async (t) => {
  const patterns = ['kube-system', 'gke-managed-*']

  t.ok(isSystemNamespace('kube-system', patterns))
  t.ok(isSystemNamespace('gke-managed-x', patterns))
  t.notOk(isSystemNamespace('kube-systems', patterns))
})
