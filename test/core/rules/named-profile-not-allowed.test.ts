import type { JsonRecord } from '../../../src/core/json.ts'
import { asking, testRule } from '../../build/isolation.ts'

const on = (mig: JsonRecord): JsonRecord => ({ mig, isolationRules: { NamedProfileNotAllowed: 'Enforce' } })

testRule('NamedProfileNotAllowed', [
  {
    name: '[RULE10] outside the list',
    main: asking('nvidia.com/mig-2g.20gb'),
    policies: [on({ allowedProfiles: ['1g.10gb'] })],
    says: [/asks for nvidia\.com\/mig-2g\.20gb, which the policy does not list; use one of 1g\.10gb/]
  },
  {
    name: '[RULE10] a replica of a slice outside the list',
    main: asking('nvidia.com/mig-2g.20gb.shared'),
    policies: [on({ allowedProfiles: [] })],
    says: [/use nvidia\.com\/gpu/]
  },
  {
    name: '[RULE10] a slice of the single strategy outside the list',
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A30-MIG-2g.12gb.me' } },
    policies: [on({ allowedProfiles: ['1g.6gb'] })],
    says: [
      /asks for nvidia\.com\/gpu with "nvidia\.com\/gpu\.product=NVIDIA-A30-MIG-2g\.12gb\.me", which the policy does not list/
    ]
  },
  {
    name: '[RULE10] a slice of GKE outside the list',
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'cloud.google.com/gke-gpu-partition-size': '1g.5gb' } },
    policies: [on({ allowedProfiles: [] })],
    says: [/asks for nvidia\.com\/gpu with "cloud\.google\.com\/gke-gpu-partition-size=1g\.5gb"/]
  },
  {
    name: '[RULE10] a slice of GKE in the list',
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'cloud.google.com/gke-gpu-partition-size': '1g.5gb' } },
    policies: [on({ allowedProfiles: ['1g.5gb'] })]
  },
  {
    name: '[RULE10] slices that are selected without asking for a GPU',
    main: asking('nvidia.com/gpu', 0),
    spec: { nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A30-MIG-1g.6gb' } },
    policies: [on({ allowedProfiles: [] })]
  },
  {
    name: '[RULE10] whole GPUs that are selected by product',
    main: asking('nvidia.com/gpu'),
    spec: { nodeSelector: { 'nvidia.com/gpu.product': 'NVIDIA-A30' } },
    policies: [on({ allowedProfiles: [] })]
  },
  {
    name: '[RULE10] in the list',
    main: asking('nvidia.com/mig-1g.10gb'),
    policies: [on({ allowedProfiles: ['1g.10gb'] })]
  },
  { name: '[RULE10] no list', main: asking('nvidia.com/mig-1g.10gb'), policies: [on({})] },
  { name: '[RULE10] no policy', main: asking('nvidia.com/mig-1g.10gb'), policies: [] },
  { name: '[RULE10] a whole GPU', main: asking('nvidia.com/gpu'), policies: [on({ allowedProfiles: [] })] },
  {
    name: '[RULE3] [RULE10] off by default',
    main: asking('nvidia.com/mig-2g.20gb'),
    policies: [{ mig: { allowedProfiles: [] } }]
  }
])
