import t from 'tap'
import { nodesInUse } from '../../src/gather/nodes-in-use.ts'
import { aPodRecord } from '../controllers/rig.ts'

t.test('a node is in use where a running pod holds a GPU or a share', async (t) => {
  const share = [{ limits: { 'nvidia.com/mig-1g.10gb': '1' } }]
  const foreign = [{ limits: { 'nvidia.com/gpumem': '1000', 'nvidia.com/gpu': '1' } }]

  const nodes = nodesInUse([
    aPodRecord({ nodeName: 'b' }),
    aPodRecord({ nodeName: 'b', name: 'other' }),
    aPodRecord({ nodeName: 'a', containers: share }),
    aPodRecord({ nodeName: 'waiting', status: { phase: 'Pending' } }),
    aPodRecord({ nodeName: 'ended', status: { phase: 'Succeeded' } }),
    aPodRecord({ nodeName: 'foreign', containers: foreign })
  ])

  t.strictSame(nodes, ['a', 'b'])
})
