import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { readGpuPods } from '../../src/compose/gpu-pods.ts'
import { GpuDemand } from '../../src/gather/gpu-demand.ts'
import { aPod } from '../build/pod.ts'
import { MemoryLog } from '../fakes/memory-log.ts'
import { fakeCluster } from '../kube/fake-cluster.ts'

t.test('mirrors the pods that live and take GPUs, and knows what they take', async (t) => {
  const { server, connection } = await fakeCluster(t)
  const pods = server.collection('/api/v1/pods', 'v1', 'Pod')
  const put = (name: string, nodeName: string, phase: string): void =>
    pods.put({ ...aPod({ nodeName }), metadata: { name, namespace: 'ml' }, status: { phase } })
  put('a', 'gpu-1', 'Running')
  put('done', 'gpu-1', 'Succeeded')

  const reading = readGpuPods({ connection, log: new MemoryLog() })
  t.teardown(() => reading.stop())
  t.equal(reading.store.state().synced, false, 'nobody waits for it')
  await pods.untilWatch(1)
  put('b', 'gpu-1', 'Pending')
  while (reading.store.get('ml', 'b') === undefined) await nextTurn()

  const demand = new GpuDemand(reading.store)
  t.equal(demand.askedFor('gpu-1', 'nvidia.com/gpu'), 2)
  t.match(server.seen[0]?.query, {
    fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed',
    limit: '100'
  })
  put('a', 'gpu-1', 'Failed')
  while (reading.store.get('ml', 'a') !== undefined) await nextTurn()
  t.equal(demand.askedFor('gpu-1', 'nvidia.com/gpu'), 1)
})
