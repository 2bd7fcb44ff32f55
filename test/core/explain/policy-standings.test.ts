import t from 'tap'
import { policyStandings } from '../../../src/core/explain/policy-standings.ts'
import { toEffectivePolicy } from '../../../src/core/policy/effective-policy.ts'
import { anInput } from '../../build/input.ts'
import { aPolicy, aRawPolicy } from '../../build/policy.ts'

t.test('every policy is told with how it stands to the pod, the one that governs first', async (t) => {
  const policies = [
    aPolicy({ name: 'a-later' }),
    toEffectivePolicy(aRawPolicy({ name: 'broken', mig: { headroom: 'much' } })),
    aPolicy({ name: 'elsewhere', nodeSelector: { pool: 'edge' } }),
    aPolicy({ name: 'first', priority: 10 }),
    aPolicy({ name: 'others', namespaceSelector: { matchLabels: { team: 'b' } } }),
    aPolicy({ name: 'paused', suspend: true })
  ]

  const standings = policyStandings(anInput({ policies }))

  t.strictSame(
    standings.map(({ name, standing }) => `${name}: ${standing}`),
    [
      'first: governs',
      'a-later: outranked',
      'broken: invalid',
      'elsewhere: other-nodes',
      'others: other-namespaces',
      'paused: suspended'
    ]
  )
  t.match(standings[1]?.why, 'first ranks before it')
  t.match(standings[2]?.why, /^invalid and switched off: spec\.mig\.headroom /)
})

t.test('an invalid policy of which no fault is known is told all the same', async (t) => {
  const broken = { kind: 'invalid', name: 'broken', faults: [], reach: undefined } as const

  t.match(policyStandings(anInput({ policies: [broken] })), [{ why: 'invalid and switched off' }])
})

t.test('without any policy there is nothing to tell', async (t) => {
  t.strictSame(policyStandings(anInput({ policies: [] })), [])
})
