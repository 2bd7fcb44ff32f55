import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { takenBy } from '../../../src/core/decision/taken.ts'
import { anInput } from '../../build/input.ts'
import { aPod } from '../../build/pod.ts'
import { aUsage } from '../../build/usage.ts'

t.test('a pod takes what its containers ask for together, and init containers none besides', async (t) => {
  const input = anInput({
    pod: aPod({ initContainers: [{ name: 'warm' }], containers: [{ name: 'a' }, { name: 'b' }] }),
    usage: aUsage({ container: 'warm' }, { container: 'a' }, { container: 'b' })
  })
  const decision = decide(input)
  if (decision.kind !== 'rewrite') throw new Error(decision.sentence)

  t.strictSame(takenBy(input.pod, decision), { 'nvidia.com/mig-1g.10gb': 2 })
})
