import { indexNodes } from '../../../src/core/sharing/node-index.ts'
import { aDeviceView } from '../../build/devices.ts'
import { viewOf } from '../../build/input.ts'
import { asking, testRule } from '../../build/isolation.ts'
import { aMigNode } from '../../build/node.ts'

const nodes = indexNodes([viewOf(aMigNode())])

testRule('RequestNeverMet', [
  {
    name: '[RULE13] no node has it',
    main: asking('nvidia.com/mig-2g.20gb'),
    input: { nodes },
    says: [/asks for nvidia\.com\/mig-2g\.20gb, which no ready node has/]
  },
  { name: '[RULE13] a node has it', main: asking('nvidia.com/mig-1g.10gb'), input: { nodes } },
  { name: '[RULE13] no nodes are known', main: asking('nvidia.com/mig-2g.20gb') },
  {
    name: '[RULE13] scaling up brings it',
    main: asking('nvidia.com/mig-2g.20gb'),
    input: { nodes },
    policies: [{ mig: { provisionable: ['2g.20gb'] }, isolationRules: { RequestNeverMet: 'Warn' } }]
  },
  {
    name: '[RULE13] a driver serves it',
    main: asking('nvidia.com/mig-1g.10gb'),
    input: { nodes: indexNodes([aDeviceView()]) }
  },
  { name: '[RULE13] whole GPUs', main: asking('nvidia.com/gpu'), input: { nodes } }
])
