import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { hasWholeGpus } from '../../../src/core/sharing/whole-gpus.ts'
import { aDeviceView } from '../../build/devices.ts'
import { viewOf } from '../../build/input.ts'
import {
  aGkeNode,
  aHamiNode,
  aMigNode,
  aNode,
  anMpsNode,
  aSharedNode,
  aSingleNode,
  aWholeNode
} from '../../build/node.ts'

const nodes: readonly { readonly name: string; readonly node: JsonRecord; readonly want: boolean }[] = [
  { name: 'whole GPUs', node: aWholeNode(), want: true },
  { name: 'whole GPUs without labels', node: aNode({ allocatable: { 'nvidia.com/gpu': '2' } }), want: true },
  { name: 'whole GPUs of GKE', node: aGkeNode(), want: true },
  { name: 'no GPU', node: aNode(), want: false },
  { name: 'slices alone', node: aMigNode(), want: false },
  {
    name: 'slices beside a whole GPU',
    node: aMigNode({ allocatable: { 'nvidia.com/gpu': '1' } }),
    want: true
  },
  { name: 'slices of the single strategy', node: aSingleNode(), want: false },
  { name: 'time-sliced GPUs that keep their name', node: aSharedNode({ renamed: false }), want: false },
  { name: 'GPUs under MPS that keep their name', node: anMpsNode({ renamed: false }), want: false },
  { name: 'slices of GKE', node: aGkeNode({ partitionSize: '1g.5gb', count: 7 }), want: false },
  { name: 'GPUs of HAMi', node: aHamiNode(), want: false }
]

for (const { name, node, want } of nodes) {
  t.test(`a pod that asks for a GPU gets a whole one on a node with ${name}: ${want}`, async (t) => {
    t.equal(hasWholeGpus(viewOf(node)), want)
  })
}

t.test('a driver may give whole GPUs by the same name', async (t) => {
  t.equal(hasWholeGpus(aDeviceView()), aDeviceView().devices?.served.includes('nvidia.com/gpu') === true)
})
