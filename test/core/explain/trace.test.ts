import fc from 'fast-check'
import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { traceOf } from '../../../src/core/explain/trace.ts'
import { anInput } from '../../build/input.ts'
import { aMigNode, anMpsNode, aSharedNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aPolicy } from '../../build/policy.ts'
import { someLimits } from '../../build/quota.ts'
import { aUsage } from '../../build/usage.ts'

const nodes = [
  aMigNode({
    profiles: { '1g.10gb': { count: 3, memoryMiB: 9728 }, '2g.20gb': { count: 1, memoryMiB: 19_968 } }
  }),
  aSharedNode({ name: 'node-2' }),
  anMpsNode({ name: 'node-3' })
]

t.test(
  'every share in reach is told, those that may be used first, with what is against the others',
  async (t) => {
    const limits = someLimits({ quotas: [{ counts: { 'requests.nvidia.com/mig-1g.10gb': ['0', '0'] } }] })

    const { shares, policy, containers } = traceOf(anInput({ nodes, limits }))

    t.equal(policy?.name, 'standard')
    t.match(containers, [{ container: { name: 'main' }, need: { kind: 'need' } }])
    t.strictSame(
      shares.map(({ candidate: { share, method }, refusal, limit, fits }) => [
        share,
        method,
        refusal?.reason ?? limit?.reason,
        fits.map(({ verdict }) => verdict).join()
      ]),
      [
        ['mig-1g.10gb', 'mig-mixed', 'QuotaWouldBlock', 'fits'],
        ['mig-2g.20gb', 'mig-mixed', undefined, 'fits'],
        ['shared', 'mps', 'MpsNotListed', 'too-small'],
        ['shared', 'time-slicing', 'TimeSlicingNotListed', 'too-small']
      ]
    )
    t.match(shares[0]?.isolates, 'separated in hardware')
  }
)

t.test('a container without history is not compared, and the shares are told all the same', async (t) => {
  const { containers, shares } = traceOf(anInput({ usage: undefined }))

  t.match(containers, [{ need: { kind: 'refusal', reason: 'NoHistory' } }])
  t.match(shares, [{ candidate: { share: 'mig-1g.10gb' }, fits: [] }])
})

t.test('a container that asks for a share already has no need that could be told', async (t) => {
  const pod = aPod({ containers: [{ limits: { 'nvidia.com/mig-1g.10gb': '1' } }] })

  t.match(traceOf(anInput({ pod })), { containers: [{ request: { kind: 'share' }, need: undefined }] })
})

t.test('what is taken is told where it is known', async (t) => {
  const capacity = { free: () => 4, mostFreeOnOne: () => 4, waiting: () => 1 }

  const { shares } = traceOf({ ...anInput(), capacity })

  t.match(shares, [{ fill: { offered: 7, bound: 3, waiting: 1 } }])
})

const ends = [
  { name: 'no policy', spec: { policies: [] } },
  { name: 'an annotation that is wrong', spec: { pod: aPod({ annotations: { 'rightslice.dev/pin': 'x' } }) } }
]

for (const { name, spec } of ends) {
  t.test(`with ${name} the containers are told and no share`, async (t) => {
    t.match(traceOf(anInput(spec)), { policy: undefined, shares: [], containers: [{ need: undefined }] })
  })
}

t.test(
  'a trace agrees with the decision: what is chosen is a share that fits and nothing forbids',
  async (t) => {
    const agrees = fc.property(
      fc.record({
        peakMiB: fc.integer({ min: 1, max: 40_000 }),
        compute: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
        pin: fc.constantFrom(undefined, 'mig-2g.20gb', 'shared', 'whole-gpu'),
        listed: fc.boolean(),
        hard: fc.constantFrom('0', '4')
      }),
      ({ peakMiB, compute, pin, listed, hard }) => {
        const input = anInput({
          nodes,
          pod: aPod(pin === undefined ? {} : { annotations: { 'rightslice.dev/pin': pin } }),
          namespaceLabels: { 'rightslice.dev/isolation': 'shared-ok' },
          policies: [aPolicy(listed ? { timeSlicing: { namespaces: ['team-a'], maxReplicas: 4 } } : {})],
          limits: someLimits({ quotas: [{ counts: { 'requests.nvidia.com/mig-1g.10gb': [hard, '0'] } }] }),
          usage: aUsage({
            peakMiB,
            ...(compute === undefined ? {} : { peakComputeRatio: compute })
          })
        })
        const decision = decide(input)
        const { shares, policy } = traceOf(input)
        if (decision.evidence.policy !== policy?.name) return false
        if (decision.kind === 'keep') return true
        return decision.changes.every(({ resource, share }) =>
          shares.some(
            (entry) =>
              entry.candidate.resource === resource &&
              entry.candidate.share === share &&
              entry.refusal === undefined &&
              entry.limit === undefined &&
              (decision.reason === 'PinnedToSlice' || entry.fits.every(({ verdict }) => verdict === 'fits'))
          )
        )
      }
    )

    t.doesNotThrow(() => fc.assert(agrees))
  }
)
