import { asking, testRule } from '../../build/isolation.ts'

testRule('MixedGpuResources', [
  {
    name: '[RULE11] both GPU and slice in one container',
    main: { resources: { limits: { 'nvidia.com/gpu': '1', 'nvidia.com/mig-1g.10gb': '1' } } },
    says: ['container "main" asks for nvidia.com/gpu, nvidia.com/mig-1g.10gb together']
  },
  {
    name: '[RULE11] across the pod',
    main: asking('nvidia.com/gpu'),
    spec: { initContainers: [{ name: 'i', ...asking('nvidia.com/gpu.shared') }] },
    says: [/^\[MixedGpuResources\] the pod asks for/]
  },
  {
    name: '[RULE11] whole in two containers',
    main: { resources: { limits: { 'nvidia.com/gpu': '1', 'nvidia.com/mig-1g.10gb': '1' } } },
    spec: { initContainers: [{ name: 'i', ...asking('nvidia.com/gpu') }] },
    says: [/the pod asks for/]
  },
  {
    name: '[RULE11] a whole GPU beside a claim from a template of ours',
    main: { resources: { limits: { 'nvidia.com/gpu': '1' }, claims: [{ name: 'c' }] } },
    spec: { resourceClaims: [{ name: 'c', resourceClaimTemplateName: 'rightslice-1g-10gb' }] },
    says: [/the pod asks for nvidia\.com\/gpu, "rightslice-1g-10gb" together/]
  },
  {
    name: '[RULE11] a whole GPU beside a claim for something else',
    main: { resources: { limits: { 'nvidia.com/gpu': '1' }, claims: [{ name: 'c' }] } },
    spec: { resourceClaims: [{ name: 'c', resourceClaimTemplateName: 'fast-nic' }] }
  },
  {
    name: '[RULE11] two kinds of slices',
    main: { resources: { limits: { 'nvidia.com/mig-1g.20gb': '2', 'nvidia.com/mig-1g.10gb': '1' } } }
  },
  {
    name: '[RULE11] zero of one',
    main: { resources: { limits: { 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.10gb': '1' } } }
  },
  {
    name: '[RULE11] HAMi lists the GPU beside its memory',
    main: { resources: { limits: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '2000' } } }
  }
])
