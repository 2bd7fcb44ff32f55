import t from 'tap'
import type { GpuPod } from '../../src/gather/gpu-pod.ts'
import { type Answer, RecentAnswers } from '../../src/gather/recent-answers.ts'
import { aGpuPod } from '../build/gpu-pod.ts'
import { MemoryStore } from '../fakes/memory-store.ts'

const slice = 'nvidia.com/mig-1g.10gb'
const share = 'mig-1g.10gb'
const answer: Answer = { namespace: 'ml', pod: 'llm-5d8c-*', group: 'g', share, resources: { [slice]: 1 } }
const marks = { 'rightslice.dev/slice': share }

function rig(): { pods: MemoryStore<GpuPod>; answers: RecentAnswers; pass: (ms: number) => void } {
  let nowMs = 0
  const pods = new MemoryStore<GpuPod>()
  const answers = new RecentAnswers(pods, () => nowMs)
  return { pods, answers, pass: (ms) => (nowMs += ms) }
}

t.test('an answer counts until its pod is seen', async (t) => {
  const { pods, answers } = rig()
  answers.answered(answer)
  answers.answered(answer)

  t.strictSame([answers.ofResource(slice), answers.ofShare(share)], [2, 2])
  pods.set('ml', 'llm-5d8c-x', aGpuPod({ name: 'llm-5d8c-x', namespace: 'ml', marks }))
  t.strictSame([answers.ofResource(slice), answers.ofShare(share)], [1, 1])
  pods.set('ml', 'llm-5d8c-x', aGpuPod({ name: 'llm-5d8c-x', namespace: 'ml', node: 'n', marks }))
  t.equal(answers.ofResource(slice), 1, 'a change of a pod that was seen is no other pod')
})

const others: readonly { name: string; pod: Partial<GpuPod> }[] = [
  { name: 'another namespace', pod: { namespace: 'web', name: 'llm-5d8c-x', marks } },
  { name: 'another name', pod: { namespace: 'ml', name: 'other', marks } },
  { name: 'another share', pod: { namespace: 'ml', name: 'llm-5d8c-x', marks: {} } }
]
for (const { name, pod } of others) {
  t.test(`a pod of ${name} is not the one`, async (t) => {
    const { pods, answers } = rig()
    answers.answered(answer)

    pods.set(pod.namespace ?? '', pod.name ?? '', aGpuPod(pod))

    t.equal(answers.ofResource(slice), 1)
  })
}

t.test('a pod with a name of its own is known by it', async (t) => {
  const { pods, answers } = rig()
  answers.answered({ ...answer, pod: 'job-0' })

  pods.set('ml', 'job-01', aGpuPod({ name: 'job-01', namespace: 'ml', marks }))
  t.equal(answers.ofResource(slice), 1)
  pods.set('ml', 'job-0', aGpuPod({ name: 'job-0', namespace: 'ml', marks }))
  t.equal(answers.ofResource(slice), 0)
})

t.test('an answer whose pod never comes is forgotten', async (t) => {
  const { answers, pass } = rig()
  answers.answered(answer)
  pass(10_000)
  answers.answered({ ...answer, resources: { [slice]: 2 } })

  t.equal(answers.ofResource(slice), 3)
  pass(5_001)
  t.equal(answers.ofResource(slice), 2)
  pass(10_000)
  t.strictSame([answers.ofResource(slice), answers.ofShare(share)], [0, 0])
})

t.test('no more than so many answers are held', async (t) => {
  const { answers } = rig()
  for (let count = 0; count < 5_100; count += 1) answers.answered(answer)

  t.equal(answers.ofShare(share), 5_000)
})

t.test('closed, it looks at no pods any more', async (t) => {
  const { pods, answers } = rig()
  answers.answered(answer)
  answers.close()

  pods.set('ml', 'llm-5d8c-x', aGpuPod({ name: 'llm-5d8c-x', namespace: 'ml', marks }))

  t.equal(answers.ofResource(slice), 1)
})
