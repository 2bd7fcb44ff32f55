import t from 'tap'
import { aBlock } from '../../core/usage/estimator/build.ts'
import { unlikeReplicaFloorMiB } from './unlike-replicas.ts'

t.test('two replicas say nothing of each other', async (t) => {
  t.equal(
    unlikeReplicaFloorMiB([aBlock({ pod: 'a' }), aBlock({ pod: 'b' }), aBlock({ pod: 'b' })]),
    undefined
  )
})

t.test('the floor is the peak that nine in ten replicas stay at or below', async (t) => {
  const blocks = Array.from({ length: 10 }, (_, pod) => aBlock({ pod: `p${pod}`, peakMiB: 10 + pod }))

  t.equal(unlikeReplicaFloorMiB(blocks), 18)
  t.equal(unlikeReplicaFloorMiB([...blocks, aBlock({ pod: 'p0', peakMiB: 5, day: 1 })].reverse()), 18)
  t.equal(unlikeReplicaFloorMiB([...blocks, aBlock({ pod: 'x', peakMiB: Number.NaN })]), 18)
})
