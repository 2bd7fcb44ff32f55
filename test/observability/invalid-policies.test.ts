import t from 'tap'
import { type PolicyRead, toEffectivePolicy } from '../../src/core/policy/effective-policy.ts'
import { reportInvalidPolicies } from '../../src/observability/invalid-policies.ts'
import { aRawPolicy, type PolicySpec } from '../build/policy.ts'
import { MemoryLog } from '../fakes/memory-log.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

const read = (spec: PolicySpec): PolicyRead => toEffectivePolicy(aRawPolicy(spec))

function arrange() {
  const policies = new MemoryStore<PolicyRead>()
  const log = new MemoryLog()
  const counts: number[] = []
  const metrics = { policiesInvalid: (count: number) => counts.push(count) }
  policies.set('', 'bad', read({ name: 'bad', mode: 'Sometimes' }))
  policies.set('', 'good', read({ name: 'good' }))
  const end = reportInvalidPolicies({ policies, log, metrics })
  return { policies, log, counts, end }
}

t.test('what is invalid at the start is told with field and value, and counted', async (t) => {
  const { log, counts } = arrange()

  t.match(log.lines, [
    {
      level: 'warn',
      fields: { policy: 'bad', faults: /spec\.mode.*Sometimes/ },
      message: 'policy is invalid and switched off'
    }
  ])
  t.equal(log.lines.length, 1)
  t.strictSame(counts, [1])
})

t.test('the same faults are told once, others again', async (t) => {
  const { policies, log } = arrange()

  policies.set('', 'good', read({ name: 'good', priority: 3 }))
  policies.set('', 'bad', read({ name: 'bad', mode: 'Never' }))

  t.match(log.lines.slice(1), [{ fields: { policy: 'bad', faults: /Never/ } }])
  t.equal(log.lines.length, 2)
})

t.test('several are told in the order of their names', async (t) => {
  const { policies, log, counts } = arrange()

  policies.set('', 'awful', read({ name: 'awful', mode: 'x' }))

  t.match(log.lines.slice(1), [{ fields: { policy: 'awful' } }])
  t.equal(counts.at(-1), 2)
})

t.test('the end of a fault is told too', async (t) => {
  const { policies, log, counts } = arrange()

  policies.set('', 'bad', read({ name: 'bad' }))

  t.strictSame(log.lines.at(-1), {
    level: 'info',
    fields: { policy: 'bad' },
    message: 'policy is no longer invalid'
  })
  t.equal(counts.at(-1), 0)
})

t.test('after its end nothing is told', async (t) => {
  const { policies, log, end } = arrange()

  end()
  policies.remove('', 'bad')

  t.equal(log.lines.length, 1)
})
