import t from 'tap'
import { PodMemory } from '../../../src/controllers/workloads/pod-memory.ts'
import { aPodRecord, DAY_MS, NOON_MS } from '../rig.ts'

const noOwner = (): undefined => undefined
const name = 'app-6c9d7f8b5d-x2k4p'

t.test('a live pod is known with its workload and what its containers ask for', async (t) => {
  const pods = new PodMemory().update([aPodRecord()], noOwner, NOON_MS)

  t.strictSame(pods, [
    {
      namespace: 'team-a',
      name,
      uid: `uid-${name}`,
      node: 'node-1',
      workload: { kind: 'Deployment', name: 'app' },
      containers: [{ name: 'main', image: 'registry.example/app:1', gpuResource: 'nvidia.com/gpu' }],
      startMs: NOON_MS - 15 * DAY_MS,
      endMs: undefined
    }
  ])
})

t.test('a pod that is gone is remembered for as long as its samples count', async (t) => {
  const memory = new PodMemory()
  memory.update([aPodRecord()], noOwner, NOON_MS)

  const gone = memory.update([], noOwner, NOON_MS + 1000)
  const later = memory.update([], noOwner, NOON_MS + 27 * DAY_MS)
  const forgotten = memory.update([], noOwner, NOON_MS + 29 * DAY_MS)

  t.match(gone, [{ name, endMs: NOON_MS + 1000 }])
  t.match(later, [{ name, endMs: NOON_MS + 1000 }])
  t.strictSame(forgotten, [])
})

t.test('words of the program about GPU memory are remembered, host memory is not meant', async (t) => {
  const memory = new PodMemory()
  const finishedAt = new Date(NOON_MS).toISOString()
  const ended = (exitCode: number, message: string) => ({
    phase: 'Running',
    containerStatuses: [{ name: 'main', lastState: { terminated: { exitCode, message, finishedAt } } }]
  })

  const host = memory.update([aPodRecord({ status: ended(137, '') })], noOwner, NOON_MS)
  const gpu = memory.update([aPodRecord({ status: ended(1, 'CUDA error: out of memory') })], noOwner, NOON_MS)
  const after = memory.update([aPodRecord()], noOwner, NOON_MS)

  t.equal(host[0]?.containers[0]?.outOfMemoryMs, undefined)
  t.strictSame(gpu[0]?.containers[0]?.outOfMemoryMs, [NOON_MS])
  t.strictSame(after[0]?.containers[0]?.outOfMemoryMs, [NOON_MS], 'also when the pod tells of another end')
})

t.test('a container that asks for a share, for several, or for something foreign', async (t) => {
  const containers = [
    { name: 'share', limits: { 'nvidia.com/mig-1g.10gb': '1' } },
    { name: 'several', limits: { 'nvidia.com/mig-1g.10gb': '1', 'nvidia.com/mig-2g.20gb': '1' } },
    { name: 'memory alone', limits: { 'nvidia.com/gpumem': '1000' } },
    {
      name: 'part',
      limits: { 'nvidia.com/gpu': '1', 'nvidia.com/gpumem': '6240', 'nvidia.com/gpucores': '30' }
    },
    { name: 'parts of two', limits: { 'nvidia.com/gpu': '2', 'nvidia.com/gpumem': '6240' } },
    { name: 'foreign', limits: { 'volcano.sh/vgpu-memory': '1000' } }
  ]
  const [pod] = new PodMemory().update([aPodRecord({ containers })], noOwner, NOON_MS)

  t.strictSame(
    pod?.containers.map(({ gpuResource, limitMiB }) => [gpuResource, limitMiB]),
    [
      ['nvidia.com/mig-1g.10gb', undefined],
      [undefined, undefined],
      [undefined, undefined],
      ['nvidia.com/gpumem', 6240],
      [undefined, undefined],
      [undefined, undefined]
    ]
  )
})
