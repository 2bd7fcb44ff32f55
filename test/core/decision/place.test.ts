import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import type { DecisionInput, Sibling } from '../../../src/core/decision/decision.ts'
import type { Capacity } from '../../../src/core/sharing/capacity.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aMigNode, aWholeNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy, type PolicySpec } from '../../build/policy.ts'

const small = 'nvidia.com/mig-1g.10gb'
const large = 'nvidia.com/mig-2g.20gb'

/** Two small and one large slice, beside whole GPUs. */
const nodes = [
  aMigNode({
    profiles: { '1g.10gb': { count: 2, memoryMiB: 9728 }, '2g.20gb': { count: 1, memoryMiB: 19_968 } }
  }),
  aWholeNode({ name: 'whole' })
]

/** Everything is free but what is said to be bound or asked for, by resource. */
function taken(
  bound: Readonly<Record<string, number>>,
  waiting: Readonly<Record<string, number>> = {}
): Capacity {
  return {
    free: ({ offers, nodes: { length } }, resource) =>
      Math.max(
        0,
        (offers.find((offer) => offer.resource === resource)?.count ?? 0) * length - (bound[resource] ?? 0)
      ),
    mostFreeOnOne: () => 1,
    waiting: ({ resource }) => waiting[resource] ?? 0
  }
}

const taint = { key: 'example.com/gpu', value: 'yes', effect: 'NoSchedule' }
const named = { admission: { toleratedTaints: [taint.key] } } as const

/** Two slices and whole GPUs on one node. */
const tainted = aMigNode({
  taints: [taint],
  profiles: { '1g.10gb': { count: 2, memoryMiB: 9728 } },
  allocatable: { 'nvidia.com/gpu': '4' }
})

interface Scene extends InputSpec {
  readonly policy?: PolicySpec
  readonly capacity?: Capacity
  readonly siblings?: readonly Sibling[]
}

function inputOf({ policy = {}, capacity, siblings, ...spec }: Scene): DecisionInput {
  return { ...anInput({ nodes, policies: [aPolicy(policy)], ...spec }), capacity, siblings: siblings ?? [] }
}

/** The share that comes out, or the reason why there is none. */
function outcome(scene: Scene): string {
  const decision = decide(inputOf(scene))
  return decision.kind === 'rewrite' ? (decision.changes[0]?.share ?? '') : decision.reason
}

/** Version of the evidence that every decision here rests on. */
const snapshot = decide(inputOf({})).evidence.snapshot
const next = { admission: { onMissingCapacity: 'NextLarger' } } as const
const wait = { admission: { onMissingCapacity: 'Wait' } } as const
const full = taken({ [small]: 2 })

const table: readonly { name: string; scene: Scene; want: string }[] = [
  { name: '[DEC54] where pods are not known all have room', scene: {}, want: 'mig-1g.10gb' },
  { name: '[DEC54] one of two is left', scene: { capacity: taken({ [small]: 1 }) }, want: 'mig-1g.10gb' },
  { name: '[DEC54] all are bound', scene: { capacity: full }, want: 'NoFreeSlice' },
  {
    name: '[DEC54] what is asked for and on no node yet counts',
    scene: { capacity: taken({ [small]: 1 }, { [small]: 1 }) },
    want: 'NoFreeSlice'
  },
  { name: '[DEC55] the next larger one', scene: { capacity: full, policy: next }, want: 'mig-2g.20gb' },
  {
    name: '[DEC55] the next larger one is taken too',
    scene: { capacity: taken({ [small]: 2, [large]: 1 }), policy: next },
    want: 'NoFreeSlice'
  },
  { name: '[DEC55] waiting is wanted', scene: { capacity: full, policy: wait }, want: 'mig-1g.10gb' },
  {
    name: '[DEC55] no whole GPU is in reach, so the pod waits for the slice',
    scene: { capacity: full, nodes: nodes.slice(0, 1) },
    want: 'mig-1g.10gb'
  },
  {
    name: '[DEC55] the only whole GPU is behind a taint that comes with the slice alone, so the pod waits',
    scene: { capacity: full, nodes: [tainted], policy: named },
    want: 'mig-1g.10gb'
  },
  {
    name: '[DEC55] the only whole GPU is behind a taint that the pod tolerates',
    scene: {
      capacity: full,
      nodes: [tainted],
      policy: named,
      pod: aPod({ tolerations: [{ key: taint.key, operator: 'Exists' }] })
    },
    want: 'NoFreeSlice'
  },
  {
    name: '[DEC56] scaling up brings more',
    scene: { capacity: full, policy: { mig: { provisionable: ['1g.10gb'] } } },
    want: 'mig-1g.10gb'
  },
  {
    name: '[DEC57] siblings have a larger share by the same evidence',
    scene: { capacity: taken({}), policy: next, siblings: [{ share: 'mig-2g.20gb', snapshot, pods: 1 }] },
    want: 'mig-2g.20gb'
  },
  {
    name: '[DEC57] the share of the siblings has no room',
    scene: {
      capacity: taken({ [large]: 1 }),
      policy: next,
      siblings: [{ share: 'mig-2g.20gb', snapshot, pods: 1 }]
    },
    want: 'mig-1g.10gb'
  },
  {
    name: '[DEC57] siblings have a larger share by other evidence',
    scene: {
      capacity: taken({}),
      policy: next,
      siblings: [{ share: 'mig-2g.20gb', snapshot: 'older', pods: 1 }]
    },
    want: 'mig-1g.10gb'
  },
  {
    name: '[DEC57] siblings have a share that no longer fits',
    scene: { capacity: taken({}), siblings: [{ share: 'mig-1g.5gb', snapshot, pods: 1 }] },
    want: 'mig-1g.10gb'
  }
]

for (const { name, scene, want } of table) {
  t.test(`${name}: ${want}`, async (t) => {
    t.equal(outcome(scene), want)
  })
}

t.test('[DEC55] the sentence says how many there are, and where they have gone', async (t) => {
  const capacity = taken({ [small]: 1 }, { [small]: 3 })

  const kept = decide(inputOf({ capacity }))
  const waits = decide(inputOf({ capacity, policy: wait }))

  const numbers = 'mig-1g.10gb fits, but of 2 in reach 1 are bound and 3 asked for'
  t.equal(kept.sentence, numbers)
  t.strictSame(waits.notices, [`the pod waits: ${numbers}`])
  t.match(kept.evidence.findings[0]?.considered[0], { fill: { offered: 2, bound: 1, waiting: 3 } })
})

t.test('[DEC57] a pod whose evidence has changed is told what older ones have', async (t) => {
  const siblings = [{ share: 'mig-2g.20gb', snapshot: 'p@1 Deployment/llm@7', pods: 1 }]

  const { notices } = decide(inputOf({ siblings }))

  t.strictSame(notices, [
    'older pods of this template have mig-2g.20gb: what is known has changed since (p@1 Deployment/llm@7)'
  ])
})

for (const policy of [{}, next]) {
  t.test(
    `[DEC58] what was answered stays when nothing is free any more: ${JSON.stringify(policy)}`,
    async (t) => {
      const first = decide(inputOf({ policy, capacity: policy === next ? full : taken({}) }))
      if (first.kind !== 'rewrite') throw new Error('the pod gets a share at first')
      const [change] = first.changes
      const pod = aPod({
        annotations: {
          'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}'
        },
        labels: { 'rightslice.dev/slice': change?.share ?? '' },
        containers: [
          { limits: { [change?.resource ?? '']: '1' }, requests: { [change?.resource ?? '']: '1' } }
        ]
      })

      const again = decide(inputOf({ pod, policy, capacity: taken({ [small]: 2, [large]: 1 }) }))

      t.match(again, { kind: 'rewrite', changes: [{ share: change?.share }] })
    }
  )
}

t.test('[DEC54] several containers need what one node has left', async (t) => {
  const capacity = taken({})
  const pod = aPod({ containers: [{ name: 'main' }, { name: 'other' }] })
  const usage = anInput().usage
  const both = usage && {
    ...usage,
    containers: [...usage.containers, ...usage.containers.map((one) => ({ ...one, container: 'other' }))]
  }

  t.equal(outcome({ pod, usage: both, capacity: { ...capacity, mostFreeOnOne: () => 2 } }), 'mig-1g.10gb')
  t.equal(outcome({ pod, usage: both, capacity: { ...capacity, mostFreeOnOne: () => 1 } }), 'NoFreeSlice')
})
