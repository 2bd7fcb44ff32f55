import { readSecurity } from '../../../src/core/pod/security-view.ts'
import { testRule } from '../../build/isolation.ts'

testRule('CdiAnnotation', [
  {
    name: '[RULE22] for a container',
    metadata: { annotations: { 'nvidia.cdi.k8s.io/container.main': 'nvidia.com/gpu=all' } },
    says: ['container "main" has the annotation "nvidia.cdi.k8s.io/container.main": "nvidia.com/gpu=all"']
  },
  {
    name: '[RULE22] for the pod, and one whose container is not there',
    metadata: { annotations: { 'cdi.k8s.io/b': 'x', 'cdi.k8s.io/container.none': 'y' } },
    says: [/the pod has the annotation "cdi\.k8s\.io\/b": "x", "cdi/]
  },
  {
    name: '[RULE22] other domains',
    metadata: { annotations: { 'notcdi.k8s.io/x': 'a', 'cdi.k8s.io.example/x': 'b' } }
  },
  ...(
    [
      ['new', {}, 1],
      ['changed', { 'cdi.k8s.io/b': 'before' }, 1],
      ['as it was', { 'cdi.k8s.io/b': 'x' }, 0]
    ] as const
  ).map(([name, annotations, breaches]) => ({
    name: `[RULE6] an update of the pod: ${name}`,
    metadata: { annotations: { 'cdi.k8s.io/b': 'x' } },
    input: { operation: 'UPDATE', before: readSecurity({ metadata: { annotations } }) },
    says: Array.from({ length: breaches }, () => /cdi/)
  })),
  {
    name: '[RULE6] a new ephemeral container cannot help it',
    metadata: { annotations: { 'cdi.k8s.io/b': 'x' } },
    input: { operation: 'UPDATE', subResource: 'ephemeralcontainers' }
  }
])
