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
