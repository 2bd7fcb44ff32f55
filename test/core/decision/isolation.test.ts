import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aSharedNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'

const privileged = aPod({
  spec: {
    containers: [
      {
        name: 'main',
        resources: { limits: { 'nvidia.com/gpu': '1' } },
        securityContext: { privileged: true }
      }
    ]
  }
})

for (const { name, want, ...input } of [
  { name: 'a privileged pod', pod: privileged, want: 'BreaksIsolation' },
  {
    name: 'a privileged pod where isolation only warns',
    pod: privileged,
    policies: [aPolicy({ admission: { isolation: 'Warn' } })],
    want: 'BreaksIsolation'
  },
  {
    name: 'a privileged pod where the rule is off',
    pod: privileged,
    policies: [aPolicy({ isolationRules: { PrivilegedWithGpu: 'Off' } })],
    want: 'FitsMigProfile'
  },
  {
    name: 'hostIPC where slices are offered',
    pod: aPod({ spec: { hostIPC: true } }),
    want: 'FitsMigProfile'
  },
  {
    name: 'hostIPC where only replicas are offered',
    pod: aPod({ spec: { hostIPC: true } }),
    nodes: [aSharedNode({ memoryMiB: 48_000 })],
    policies: [aPolicy({ timeSlicing: { namespaces: ['team-a'], maxReplicas: 48 } })],
    namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
    want: 'BreaksIsolation'
  },
  {
    name: 'a pod that shares honestly',
    nodes: [aSharedNode({ memoryMiB: 48_000 })],
    policies: [aPolicy({ timeSlicing: { namespaces: ['team-a'], maxReplicas: 48 } })],
    namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
    want: 'FitsSharedReplica'
  },
  {
    name: 'a variable that cannot be seen is no reason',
    pod: aPod({ containers: [{}], spec: { nodeSelector: {} } }),
    want: 'FitsMigProfile'
  }
] satisfies readonly (InputSpec & { name: string; want: string })[]) {
  t.test(`[RULE8] ${name}: ${want}`, async (t) => {
    t.equal(decide(anInput(input)).reason, want)
  })
}

t.test('[RULE8] the sentence names the rule and the container', async (t) => {
  t.match(decide(anInput({ pod: privileged })), {
    kind: 'keep',
    sentence: /^\[PrivilegedWithGpu\] container "main"/
  })
})

t.test('[RULE8] a pod that breaks nothing is decided without the rules', async (t) => {
  t.equal(decide({ ...anInput({ pod: privileged }), readDefeats: () => [] }).reason, 'FitsMigProfile')
})
