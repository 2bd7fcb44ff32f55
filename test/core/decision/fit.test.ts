import t from 'tap'
import { considered, permittedCandidates, verdictOf } from '../../../src/core/decision/fit.ts'
import type { JsonRecord } from '../../../src/core/json.ts'
import type { Candidate } from '../../../src/core/sharing/candidates.ts'
import { indexNodes } from '../../../src/core/sharing/node-index.ts'
import { viewOf } from '../../build/input.ts'
import { aMigNode, aSharedNode, aSingleNode } from '../../build/node.ts'
import { anEffectivePolicy, type PolicySpec } from '../../build/policy.ts'

const shared = { namespaces: ['team-a'], maxReplicas: 8 }
const namespace = { name: 'team-a', labels: { 'rightslice.dev/isolation': 'shared-ok' } }

function choiceOf(
  nodes: readonly JsonRecord[],
  policy: PolicySpec = {}
): ReturnType<typeof permittedCandidates> {
  const index = indexNodes(nodes.map(viewOf))
  return permittedCandidates({ policy: anEffectivePolicy(policy), namespace }, index, index.classes)
}

function namesOf(choice: ReturnType<typeof permittedCandidates>): readonly string[] {
  return choice.permitted.map(({ resource }) => resource.replace('nvidia.com/', ''))
}

const candidate: Candidate = {
  method: 'mig-mixed',
  resource: 'nvidia.com/mig-1g.10gb',
  share: 'mig-1g.10gb',
  profile: '1g.10gb',
  usableMiB: 9728,
  computeRatio: 0.12,
  computeBasis: 'sm-label',
  replicas: 1,
  separation: 'hardware',
  requires: {},
  where: [],
  count: 7
}

const verdicts: readonly { name: string; has: Partial<Candidate>; need: [number, number?]; want: string }[] =
  [
    { name: 'exactly enough memory', has: {}, need: [9728], want: 'fits' },
    { name: 'one MiB too little', has: {}, need: [9729], want: 'too-small' },
    { name: 'unknown memory', has: { usableMiB: undefined }, need: [1], want: 'memory-unknown' },
    { name: 'unknown memory where any size does', has: { usableMiB: undefined }, need: [0], want: 'fits' },
    { name: 'exactly enough compute', has: {}, need: [9728, 0.12], want: 'fits' },
    { name: 'too little compute', has: {}, need: [9728, 0.121], want: 'too-little-compute' },
    { name: 'unknown compute', has: { computeRatio: undefined }, need: [1, 0.01], want: 'compute-unknown' },
    { name: 'unknown compute that does not count', has: { computeRatio: undefined }, need: [1], want: 'fits' }
  ]

for (const { name, has, need, want } of verdicts) {
  t.test(`[DEC36] ${name}: ${want}`, async (t) => {
    const [neededMiB, neededCompute] = need

    t.equal(verdictOf({ ...candidate, ...has }, { neededMiB, neededCompute }), want)
  })
}

t.test('[DEC36] the evidence names every candidate with its verdict', async (t) => {
  t.strictSame(considered([candidate], { neededMiB: 1, neededCompute: undefined }, { overLimit: [] }), [
    {
      share: 'mig-1g.10gb',
      resource: 'nvidia.com/mig-1g.10gb',
      requires: {},
      usableMiB: 9728,
      computeRatio: 0.12,
      verdict: 'fits'
    }
  ])
})

t.test('[DEC35] usable memory comes before the name', async (t) => {
  const profiles = {
    '1g.10gb': { count: 1, memoryMiB: 9984 },
    '1g.12gb': { count: 1, memoryMiB: 9000 },
    '1g.24gb': { count: 1, memoryMiB: 11_000 }
  }

  t.strictSame(namesOf(choiceOf([aMigNode({ profiles })])), ['mig-1g.12gb', 'mig-1g.10gb', 'mig-1g.24gb'])
})

t.test('[DEC35] equal memory: less compute first, then the name', async (t) => {
  const profiles = {
    '4g.40gb': { count: 1, memoryMiB: 40_448, multiprocessors: 64 },
    '3g.40gb': { count: 1, memoryMiB: 40_448, multiprocessors: 60 },
    '1g.10gb.me': { count: 1, memoryMiB: 9984, multiprocessors: 16 },
    '1g.10gb': { count: 1, memoryMiB: 9984, multiprocessors: 16 }
  }

  t.strictSame(namesOf(choiceOf([aMigNode({ profiles })])), [
    'mig-1g.10gb',
    'mig-1g.10gb.me',
    'mig-3g.40gb',
    'mig-4g.40gb'
  ])
})

t.test('[DEC35] unknown memory comes last', async (t) => {
  const nodes = [
    aMigNode({ name: 'a', product: 'No-Such-GPU', profiles: { '1g.5gb': { count: 1 } } }),
    aMigNode({ name: 'b', profiles: { '7g.80gb': { count: 1, memoryMiB: 80_000 } } })
  ]

  t.strictSame(namesOf(choiceOf(nodes)), ['mig-7g.80gb', 'mig-1g.5gb'])
})

t.test(
  '[DEC35] what keeps more apart comes before memory, and the policy’s order of methods before that',
  async (t) => {
    const nodes = [aMigNode({ name: 'a' }), aSharedNode({ name: 'b' })]

    const free = namesOf(choiceOf(nodes, { timeSlicing: shared }))
    const ordered = namesOf(choiceOf(nodes, { timeSlicing: shared, methods: ['time-slicing', 'mig-mixed'] }))

    t.strictSame(free, ['mig-1g.10gb', 'gpu.shared'])
    t.strictSame(ordered, ['gpu.shared', 'mig-1g.10gb'])
  }
)

t.test('[DEC35] of equal shares the one with fewer required labels comes first', async (t) => {
  const nodes = [
    aSharedNode({ name: 'a', product: 'NVIDIA-L4' }),
    aSharedNode({ name: 'b', product: 'NVIDIA-A10' })
  ]

  const { permitted } = choiceOf(nodes, { timeSlicing: shared })

  t.strictSame(
    permitted.map(({ requires }) => requires['nvidia.com/gpu.product']),
    [undefined, 'NVIDIA-A10', 'NVIDIA-L4']
  )
})

t.test(
  '[DEC33] a method that the policy does not list is refused before the method’s own rule',
  async (t) => {
    const nodes = [aMigNode({ name: 'a' }), aSharedNode({ name: 'b' })]

    const choice = choiceOf(nodes, { methods: ['mig-mixed'], mig: { allowedProfiles: ['2g.20gb'] } })

    t.strictSame(choice.permitted, [])
    t.strictSame(
      choice.refused.map(({ refusal }) => refusal.reason),
      ['MethodNotAllowed', 'ProfileNotAllowed']
    )
  }
)

t.test('[DEC33] candidates without a node of the policy do not count', async (t) => {
  const nodes = [
    aMigNode({ name: 'a', labels: { pool: 'gpu' } }),
    aMigNode({ name: 'b', profiles: { '1g.20gb': { count: 1, memoryMiB: 19_968 } } })
  ]

  t.strictSame(namesOf(choiceOf(nodes, { nodeSelector: { pool: 'gpu' } })), ['mig-1g.10gb'])
})

t.test('[DEC34] a provisionable profile counts with the least that it holds on any model', async (t) => {
  const nodes = [aMigNode({ profiles: { '2g.20gb': { count: 1, memoryMiB: 19_968 } } })]

  const { permitted } = choiceOf(nodes, { mig: { provisionable: ['1g.10gb', '2g.20gb', '9g.990gb'] } })

  t.strictSame(
    permitted.map(({ resource, usableMiB, where }) => [resource, usableMiB, where.length]),
    [
      ['nvidia.com/mig-1g.10gb', 9728, 0],
      ['nvidia.com/mig-2g.20gb', 19_968, 1],
      ['nvidia.com/mig-9g.990gb', undefined, 0]
    ]
  )
})

t.test('[DEC35] shares of which nothing is known come in the order of their names', async (t) => {
  const choice = choiceOf([aMigNode()], { mig: { provisionable: ['9g.990gb', '8g.880gb'] } })

  t.strictSame(namesOf(choice), ['mig-1g.10gb', 'mig-8g.880gb', 'mig-9g.990gb'])
})

t.test(
  '[DEC34] a provisionable profile that a node has by any method that may be used is none',
  async (t) => {
    const mig = { provisionable: ['1g.10gb'] }

    const live = choiceOf([aSingleNode()], { mig })
    const refused = choiceOf([aSingleNode()], { mig, methods: ['mig-mixed'] })

    t.strictSame(namesOf(live), ['gpu'])
    t.strictSame(namesOf(refused), ['mig-1g.10gb'])
  }
)

t.test('[DEC34] a provisionable profile must be allowed like any other', async (t) => {
  const mig = { provisionable: ['1g.10gb'], allowedProfiles: ['2g.20gb'] }

  const byProfile = choiceOf([aSharedNode()], { mig, timeSlicing: shared })
  const byMethod = choiceOf([aSharedNode()], {
    mig: { provisionable: ['1g.10gb'] },
    methods: ['time-slicing'],
    timeSlicing: shared
  })

  t.strictSame(namesOf(byProfile), ['gpu.shared'])
  t.strictSame(namesOf(byMethod), ['gpu.shared'])
  t.equal(byProfile.refused[0]?.refusal.reason, 'ProfileNotAllowed')
  t.equal(byMethod.refused[0]?.refusal.reason, 'MethodNotAllowed')
})
