import { testRule } from '../../build/isolation.ts'

testRule('NodeNameSet', [
  {
    name: '[RULE28] a new pod',
    spec: { nodeName: 'gpu-1' },
    says: ['the pod names its node (nodeName is "gpu-1")']
  },
  { name: '[RULE28] a template', spec: { nodeName: 'gpu-1' }, input: { isTemplate: true }, says: [/gpu-1/] },
  {
    name: '[RULE6] a pod that runs',
    spec: { nodeName: 'gpu-1' },
    input: { operation: 'UPDATE', subResource: 'ephemeralcontainers' }
  },
  { name: '[RULE28] a node by its label', spec: { nodeSelector: { 'kubernetes.io/hostname': 'gpu-1' } } }
])
