import t from 'tap'
import {
  type IsolationState,
  isolationClaims
} from '../../../src/controllers/workloads/isolation-condition.ts'
import { Rig } from '../rig.ts'

const said = [{ type: 'Isolated', status: 'False', reason: 'HostDevicePath', message: 'as before' }] as const
const judged = (...rules: readonly ('HostDevicePath' | 'CdiAnnotation')[]): IsolationState => ({
  kind: 'judged',
  violations: rules.map((rule) => ({ rule, level: 'enforce', sentence: 'seen; way out' }))
})

for (const { name, state, hasPods = true, before = [], want } of [
  {
    name: 'a rule that is broken',
    state: judged('HostDevicePath', 'CdiAnnotation'),
    want: ['False HostDevicePath']
  },
  { name: 'no rule is broken', state: judged(), want: ['True NoViolations'] },
  { name: 'no pod, and nothing said', state: judged(), hasPods: false, want: [] },
  { name: 'no pod any more', state: judged(), hasPods: false, before: said, want: ['Unknown NoPods'] },
  {
    name: 'nobody could look',
    state: { kind: 'unknown' } as const,
    before: said,
    want: ['False HostDevicePath']
  },
  { name: 'nothing is enforced', state: { kind: 'outside' } as const, before: said, want: [] }
]) {
  t.test(`the condition Isolated: ${name}`, async (t) => {
    const claims = isolationClaims(state, { hasPods, said: before })

    t.strictSame(
      claims.map(({ status, reason }) => `${status} ${reason}`),
      want
    )
  })
}

t.test('a refresh writes it, and once only', async (t) => {
  const rig = new Rig({
    isolationOf: (namespace, key) =>
      key === `${namespace}/Deployment/app` ? judged('HostDevicePath') : judged()
  })
  rig.addPod()

  await rig.refresh()
  const again = await rig.refresh()

  t.equal(rig.condition('Isolated'), 'False HostDevicePath')
  t.strictSame(again, [])
})

t.test('a process that has not looked yet leaves it as it is', async (t) => {
  const rig = new Rig({ isolationOf: () => judged('HostDevicePath') })
  rig.addPod()
  await rig.refresh()

  rig.newProcess()

  t.strictSame(await rig.refresh(), [])
  t.equal(rig.condition('Isolated'), 'False HostDevicePath')
})
