import { asking, inEveryList, testRule } from '../../build/isolation.ts'

testRule('PrivilegedWithGpu', [
  ...['nvidia.com/gpu', 'nvidia.com/mig-1g.10gb', 'nvidia.com/gpu.shared', 'nvidia.com/gpumem'].flatMap(
    (resource) =>
      inEveryList({ securityContext: { privileged: true } }, asking(resource)).map(({ where, ...pod }) => ({
        name: `[RULE1] [RULE23] a ${where} beside ${resource}`,
        says: [/securityContext\.privileged/],
        ...pod
      }))
  ),
  {
    name: '[RULE23] a resource claim',
    main: { securityContext: { privileged: true }, resources: { claims: [{ name: 'g' }] } },
    says: [/privileged/]
  },
  {
    name: '[RULE23] a fraction',
    main: { securityContext: { privileged: true } },
    metadata: { annotations: { 'gpu-fraction': '0.5' } },
    says: [/privileged/]
  },
  {
    name: '[RULE5] the owner is no excuse',
    main: { ...asking('nvidia.com/gpu'), securityContext: { privileged: true } },
    metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'd', controller: true }] },
    says: [/privileged/]
  },
  { name: '[RULE23] no GPU', main: { securityContext: { privileged: true } } },
  {
    name: '[RULE23] zero GPUs',
    main: { ...asking('nvidia.com/gpu', 0), securityContext: { privileged: true } }
  },
  {
    name: '[RULE23] not privileged',
    main: { ...asking('nvidia.com/gpu'), securityContext: { privileged: 'true' } }
  }
])
