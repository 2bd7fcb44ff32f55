import { asking, testRule } from '../../build/isolation.ts'

testRule('MoreThanOneReplica', [
  {
    name: '[RULE12] two replicas',
    main: asking('nvidia.com/gpu.shared', 2),
    says: [/asks for 2 of nvidia\.com\/gpu\.shared/]
  },
  {
    name: '[RULE12] two replicas of a slice',
    main: asking('nvidia.com/mig-1g.10gb.shared', 3),
    says: [/asks for 3/]
  },
  {
    name: '[RULE12] on nodes that share',
    main: asking('nvidia.com/gpu', 2),
    spec: { nodeSelector: { 'cloud.google.com/gke-gpu-sharing-strategy': 'time-sharing' } },
    says: [/asks for 2 of nvidia\.com\/gpu/]
  },
  { name: '[RULE12] one', main: asking('nvidia.com/gpu.shared') },
  { name: '[RULE12] two GPUs', main: asking('nvidia.com/gpu', 2) },
  { name: '[RULE12] two slices', main: asking('nvidia.com/mig-1g.10gb', 2) },
  { name: '[RULE12] memory of HAMi', main: asking('nvidia.com/gpumem', 2000) },
  { name: '[RULE12] no count', main: asking('nvidia.com/gpu.shared', 'many') }
])
