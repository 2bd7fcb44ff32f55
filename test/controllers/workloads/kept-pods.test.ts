import t from 'tap'
import { keptPodsText, readKeptPods } from '../../../src/controllers/workloads/kept-pods.ts'
import type { KnownPod } from '../../../src/core/usage/attribution/known.ts'
import { NOON_MS } from '../rig.ts'

const workload = { kind: 'Deployment', name: 'app' }

function aKnownPod(change: Partial<KnownPod> = {}): KnownPod {
  const name = change.name ?? 'app-6c9d7f8b5d-x2k4p'
  return {
    namespace: 'team-a',
    name,
    uid: `uid-${name}`,
    node: 'node-1',
    workload,
    containers: [{ name: 'main', image: 'registry.example/app:1', gpuResource: 'nvidia.com/gpu' }],
    startMs: NOON_MS - 1000,
    endMs: NOON_MS,
    ...change
  }
}

function objectWith(knownPods: string | undefined) {
  const status = knownPods === undefined ? {} : { knownPods }
  return { namespace: 'team-a', name: 'x', generation: 1, workload, apiVersion: undefined, status }
}

t.test('what is kept is read back as it was', async (t) => {
  const pods = [
    aKnownPod(),
    aKnownPod({
      name: 'odd',
      endMs: undefined,
      containers: [{ name: 'a', image: '', gpuResource: undefined, limitMiB: 6240, outOfMemoryMs: [1, 2] }]
    })
  ]

  const read = readKeptPods([objectWith(keptPodsText(pods)), objectWith(undefined)])

  t.strictSame(read, { pods: pods.toReversed(), unread: 0 }, 'the one whose name tells nothing comes first')
})

t.test('a pod that lives and whose name tells its workload is not kept, unless memory ran out', async (t) => {
  const alive = { endMs: undefined }
  const full = [{ name: 'a', image: '', gpuResource: undefined, outOfMemoryMs: [1] }]

  t.equal(keptPodsText([aKnownPod(alive)]), undefined)
  t.match(keptPodsText([aKnownPod({ ...alive, containers: full })]), /app-6c9d7f8b5d-x2k4p/)
})

t.test('of too many those stay of which nothing else tells, then the last ones', async (t) => {
  const ended = Array.from({ length: 300 }, (_, index) =>
    aKnownPod({ uid: `named-${index}`, endMs: NOON_MS + index })
  )
  const text = keptPodsText([...ended, aKnownPod({ name: 'odd', endMs: 1 })]) ?? ''
  const uids = readKeptPods([objectWith(text)]).pods.map(({ uid }) => uid)

  t.ok(text.length <= 16_000)
  t.strictSame(uids.slice(0, 3), ['uid-odd', 'named-299', 'named-298'])
  t.ok(uids.length > 50 && uids.length <= 64, `${uids.length} pods`)
})

t.test('one pod that is too long by itself is not kept', async (t) => {
  const containers = Array.from({ length: 200 }, (_, index) => ({
    name: `container-${index}`,
    image: 'i'.repeat(100),
    gpuResource: undefined
  }))

  t.equal(keptPodsText([aKnownPod({ containers })]), undefined)
})
