import t from 'tap'
import type { JsonRecord } from '../../../src/core/json.ts'
import { hasWholeGpus, wholeGpusOn } from '../../../src/core/sharing/whole-gpus.ts'
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

interface Row {
  readonly name: string
  readonly node: JsonRecord
  readonly want: boolean
  /** How many whole GPUs it gives. */
  readonly count: number
}

const nodes: readonly Row[] = [
  { name: 'whole GPUs', node: aWholeNode({ gpus: 4 }), want: true, count: 4 },
  {
    name: 'whole GPUs without labels',
    node: aNode({ allocatable: { 'nvidia.com/gpu': '2' } }),
    want: true,
    count: 2
  },
  { name: 'whole GPUs of GKE', node: aGkeNode({ count: 8 }), want: true, count: 8 },
  { name: 'no GPU', node: aNode(), want: false, count: 0 },
  { name: 'slices alone', node: aMigNode(), want: false, count: 0 },
  {
    name: 'slices beside a whole GPU',
    node: aMigNode({ allocatable: { 'nvidia.com/gpu': '1' } }),
    want: true,
    count: 1
  },
  { name: 'slices of the single strategy', node: aSingleNode(), want: false, count: 0 },
  {
    name: 'time-sliced GPUs that keep their name',
    node: aSharedNode({ renamed: false }),
    want: false,
    count: 0
  },
  { name: 'GPUs under MPS that keep their name', node: anMpsNode({ renamed: false }), want: false, count: 0 },
  { name: 'slices of GKE', node: aGkeNode({ partitionSize: '1g.5gb', count: 7 }), want: false, count: 0 },
  {
    name: 'GPUs that GKE shares',
    node: aNode({
      labels: { 'cloud.google.com/gke-max-shared-clients-per-gpu': '4' },
      allocatable: { 'nvidia.com/gpu': '4' }
    }),
    want: false,
    count: 0
  },
  { name: 'GPUs that HAMi lists ten times', node: aHamiNode({ gpus: 2, split: 10 }), want: false, count: 2 }
]

for (const { name, node, want, count } of nodes) {
  t.test(`a node with ${name} gives ${count} whole GPUs, and as easily as shares: ${want}`, async (t) => {
    t.equal(wholeGpusOn(viewOf(node)), count)
    t.equal(hasWholeGpus(viewOf(node)), want)
  })
}

t.test('a driver may give whole GPUs by the same name', async (t) => {
  t.equal(hasWholeGpus(aDeviceView()), aDeviceView().devices?.served.includes('nvidia.com/gpu') === true)
})
