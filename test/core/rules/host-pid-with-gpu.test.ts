import { asking, testRule } from '../../build/isolation.ts'

testRule('HostPidWithGpu', [
  {
    name: '[RULE24] with a GPU',
    main: asking('nvidia.com/gpu'),
    spec: { hostPID: true },
    says: ['the pod has spec.hostPID']
  },
  {
    name: '[RULE24] with a claim',
    spec: { hostPID: true, resourceClaims: [{ name: 'g' }] },
    says: [/hostPID/]
  },
  { name: '[RULE24] without a GPU', spec: { hostPID: true } },
  { name: '[RULE24] within the pod', main: asking('nvidia.com/gpu'), spec: { shareProcessNamespace: true } },
  {
    name: '[RULE6] an ephemeral container cannot help it',
    main: asking('nvidia.com/gpu'),
    spec: { hostPID: true },
    input: { operation: 'UPDATE', subResource: 'ephemeralcontainers' }
  }
])
