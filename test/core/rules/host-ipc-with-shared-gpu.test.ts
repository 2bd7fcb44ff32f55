import { asking, testRule } from '../../build/isolation.ts'

testRule('HostIpcWithSharedGpu', [
  {
    name: '[RULE25] a replica',
    main: asking('nvidia.com/gpu.shared'),
    spec: { hostIPC: true },
    says: ['the pod has spec.hostIPC']
  },
  {
    name: '[RULE25] nodes that share',
    main: asking('nvidia.com/gpu'),
    spec: { hostIPC: true, nodeSelector: { 'nvidia.com/gpu.sharing-strategy': 'mps' } },
    says: [/hostIPC/]
  },
  {
    name: '[RULE25] its shared memory as a volume',
    main: asking('nvidia.com/gpu.shared'),
    spec: { volumes: [{ name: 'shm', hostPath: { path: '/dev//shm/' } }] },
    says: [/the shared memory of the node as volume "shm"/]
  },
  {
    name: '[RULE25] memory of the pod',
    main: asking('nvidia.com/gpu.shared'),
    spec: { volumes: [{ name: 'shm', emptyDir: { medium: 'Memory' } }] }
  },
  { name: '[RULE25] a whole GPU', main: asking('nvidia.com/gpu'), spec: { hostIPC: true } },
  { name: '[RULE25] a slice', main: asking('nvidia.com/mig-1g.10gb'), spec: { hostIPC: true } },
  { name: '[RULE25] a replica alone', main: asking('nvidia.com/gpu.shared') }
])
