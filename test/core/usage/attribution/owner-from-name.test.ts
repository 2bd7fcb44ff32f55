import t from 'tap'
import { indexOwners, ownerFromName } from '../../../../src/core/usage/attribution/owner-from-name.ts'
import { aKnownPod, deployment } from '../../../build/attribution.ts'

const index = indexOwners({
  pods: [aKnownPod(), aKnownPod({ name: 'app-7c9d8f6b5d-mm9qk' })],
  ownersOf: [
    { namespace: 'team-a', workload: deployment('app-worker') },
    { namespace: 'team-a', workload: { kind: 'Job', name: 'app-7c9d8f6b5d' } },
    { namespace: 'team-b', workload: deployment('app') },
    { namespace: 'team-b', workload: { kind: 'Pod', name: 'jupyter-alice' } }
  ]
})

const cases = [
  { name: 'the workload of a known pod', pod: ['team-b', 'app-66b7d5d9c4-zz2lw'], want: 'app' },
  {
    name: 'a longer name than another workload',
    pod: ['team-a', 'app-worker-66b7d5d9c4-zz2lw'],
    want: 'app-worker'
  },
  { name: 'a bare pod of its own name', pod: ['team-b', 'jupyter-alice'], want: 'jupyter-alice' },
  { name: 'two kinds whose pods may be called so', pod: ['team-a', 'app-7c9d8f6b5d-zz2lw'], want: 'several' },
  { name: 'a workload of another namespace', pod: ['team-b', 'app-worker-66b7d5d9c4-zz2lw'], want: 'none' },
  { name: 'a namespace that nobody knows', pod: ['team-c', 'app-66b7d5d9c4-zz2lw'], want: 'none' },
  { name: 'a name like those of objects', pod: ['team-a', '__proto__'], want: 'none' }
] as const

for (const { name, pod, want } of cases) {
  t.test(`[USE12] whose a pod was that is gone: ${name}`, async (t) => {
    const found = ownerFromName(index, pod[0], pod[1])

    t.equal(found.kind === 'one' ? found.workload.name : found.kind, want)
  })
}
