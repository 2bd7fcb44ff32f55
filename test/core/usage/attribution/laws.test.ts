import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { type Attribution, attribute } from '../../../../src/core/usage/attribution/attribute.ts'
import type { AttributionInput, KnownPod } from '../../../../src/core/usage/attribution/known.ts'
import {
  aKnownNode,
  aKnownPod,
  aSeries,
  DAY,
  deployment,
  FIRST_DAY,
  HOUR
} from '../../../build/attribution.ts'
import { holds } from '../../../property/holds.ts'

const podNames = ['app-7c9d8f6b5d-x2k4p', 'app-66b7d5d9c4-zz2lw', 's-0', 'app', '', 'x']

const hour = fc.option(fc.integer({ min: 0, max: 24 }), { nil: undefined })

const day = fc
  .record({
    day: fc.integer({ min: 0, max: 2 }),
    max: fc.integer({ min: 0, max: 90_000 }),
    a: hour,
    b: hour,
    at: hour
  })
  .map(({ day, max, a, b, at }) => ({
    day,
    max,
    ...(a !== undefined && b !== undefined && { fromHour: Math.min(a, b), toHour: Math.max(a, b) }),
    ...(at !== undefined && { maxAtHour: at })
  }))

const series = fc
  .record({
    pod: fc.constantFrom(...podNames),
    namespace: fc.constantFrom('team-a', 'team-b'),
    container: fc.constantFrom('main', 'second', ''),
    gpuUuid: fc.constantFrom('GPU-a', 'GPU-b', ''),
    gpuIndex: fc.constantFrom('0', ''),
    node: fc.constantFrom('n1', 'n2', ''),
    replica: fc.option(fc.constantFrom('0', '1'), { nil: undefined }),
    instance: fc.option(fc.constantFrom('7', '9'), { nil: undefined }),
    podUid: fc.option(fc.constantFrom('uid-1', 'uid-2'), { nil: undefined }),
    metric: fc.constantFrom('memory', 'memory-ratio', 'sm-active', 'gr-engine-active'),
    days: fc.uniqueArray(day, { selector: (own) => own.day, maxLength: 3 })
  })
  .map(({ replica, instance, podUid, metric, days, ...labels }) =>
    aSeries({
      ...labels,
      metric,
      ...(replica !== undefined && { replica }),
      ...(instance !== undefined && { gpuInstanceId: instance, migProfile: '1g.10gb' }),
      ...(podUid !== undefined && { podUid }),
      perProcess: metric === 'memory' && replica !== undefined && podUid !== undefined,
      days: metric.startsWith('memory') ? days : days.map((own) => ({ ...own, max: own.max / 90_000 }))
    })
  )

const pods: fc.Arbitrary<KnownPod> = fc
  .record({
    name: fc.constantFrom(...podNames),
    uid: fc.constantFrom('uid-1', 'uid-2', 'uid-3'),
    node: fc.constantFrom('n1', 'n2', ''),
    workload: fc.constantFrom(
      deployment('app'),
      { kind: 'StatefulSet', name: 's' },
      { kind: 'Pod', name: 'x' }
    ),
    resource: fc.constantFrom('nvidia.com/gpu', 'nvidia.com/gpu.shared', 'nvidia.com/mig-1g.10gb', undefined),
    start: hour,
    end: hour
  })
  .map(({ name, uid, node, workload, resource, start, end }) =>
    aKnownPod({
      name,
      uid,
      node,
      workload,
      containers: [{ gpuResource: resource, image: uid }],
      startMs: start === undefined ? undefined : FIRST_DAY + start * HOUR,
      endMs: end === undefined ? undefined : FIRST_DAY + DAY + end * HOUR
    })
  )

const inputs: fc.Arbitrary<AttributionInput> = fc.record({
  series: fc.array(series, { maxLength: 8 }),
  pods: fc.array(pods, { maxLength: 5 }),
  ownersOf: fc.constantFrom([], [{ namespace: 'team-a', workload: deployment('app') }]),
  nodes: fc.constantFrom(
    [],
    [aKnownNode({ replicas: { 'nvidia.com/gpu': 4 }, memoryMiB: { 'nvidia.com/gpu': 80_000 } })]
  ),
  nowMs: fc.constant(FIRST_DAY + 3 * DAY)
})

function reordered<T>(list: readonly T[], seed: number): readonly T[] {
  return list
    .map((item, index) => ({ item, order: Math.imul(seed + index * 7919, 2_654_435_761) >>> 0 }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)
}

t.test('[USE18] shuffled series, pods and workloads give the same answer, byte for byte', async () => {
  holds(
    fc.property(inputs, fc.nat(), (input, seed) => {
      const other = {
        ...input,
        series: reordered(input.series, seed),
        pods: reordered(input.pods, seed),
        ownersOf: reordered(input.ownersOf, seed)
      }
      assert.equal(JSON.stringify(attribute(other)), JSON.stringify(attribute(input)))
    }),
    400
  )
})

t.test('[USE18] any labels and numbers give an answer and never a throw', async () => {
  const number = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity))
  const wild = fc.record({
    labels: fc.record(
      {
        namespace: fc.string(),
        pod: fc.constantFrom('', '__proto__', 'a-', '-'.repeat(300), 'app-7c9d8f6b5d-x2k4p'),
        podUid: fc.string(),
        container: fc.string(),
        node: fc.string(),
        gpuUuid: fc.string(),
        gpuIndex: fc.string(),
        gpuInstanceId: fc.string(),
        migProfile: fc.string(),
        model: fc.string(),
        replica: fc.string(),
        perProcess: fc.boolean()
      },
      {
        requiredKeys: ['namespace', 'pod', 'container', 'node', 'gpuUuid', 'gpuIndex', 'model', 'perProcess']
      }
    ),
    metric: fc.constantFrom('memory', 'memory-ratio', 'sm-active', 'gr-engine-active'),
    metricName: fc.string(),
    days: fc.array(
      fc.record(
        { dayMs: number, max: number, maxAtMs: number, samples: number, firstMs: number, lastMs: number },
        { requiredKeys: ['dayMs', 'max'] }
      ),
      { maxLength: 3 }
    )
  })
  holds(
    fc.property(fc.array(wild, { maxLength: 4 }), inputs, number, (series, input, nowMs) => {
      const result = attribute({ ...input, series, nowMs })
      const peaks = result.histories.flatMap(({ blocks }) => blocks.map(({ peakMiB }) => peakMiB))
      assert.ok(peaks.every((peak) => peak > 0 && Number.isFinite(peak)))
    }),
    400
  )
})

/** Highest own peak or bound of a pod, 0 where there is none. */
function mostOf({ histories, bounds }: Attribution, name: string): { own: number; most: number } {
  const own = Math.max(
    0,
    ...histories.flatMap(({ blocks }) => blocks.flatMap(({ pod, peakMiB }) => (pod === name ? peakMiB : [])))
  )
  const bound = Math.max(0, ...bounds.flatMap(({ pod, atMostMiB }) => (pod === name ? atMostMiB : [])))
  return { own, most: Math.max(own, bound) }
}

t.test('[USE18] a second pod on a device never raises a peak of the first, nor what bounds it', async () => {
  const span = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 24 }), fc.boolean())
    .map(([from, to, known]) => (known ? { fromHour: Math.min(from, to), toHour: Math.max(from, to) } : {}))
  const use = fc.record({ max: fc.integer({ min: 0, max: 80_000 }), span })
  holds(
    fc.property(use, use, fc.boolean(), fc.constantFrom([], [1], [4]), (first, second, sharing, replicas) => {
      const labels = (pod: string) => ({
        pod,
        ...(sharing && { replica: '0', podUid: `uid-${pod}`, perProcess: true })
      })
      const one = aSeries({ ...labels('p-1'), days: [{ max: first.max, ...first.span }] })
      const two = aSeries({ ...labels('p-2'), days: [{ max: second.max, ...second.span }] })
      const [own, next] = ['p-1', 'p-2'].map((name) => aKnownPod({ name, uid: `uid-${name}` }))
      const nodes = replicas.map((count) => aKnownNode({ replicas: { 'nvidia.com/gpu': count } }))
      const base = { ownersOf: [], nodes, nowMs: FIRST_DAY + 2 * DAY }

      const alone = mostOf(attribute({ ...base, series: [one], pods: own ? [own] : [] }), 'p-1')
      const beside = mostOf(
        attribute({ ...base, series: [one, two], pods: [own, next].flatMap((pod) => pod ?? []) }),
        'p-1'
      )

      assert.ok(beside.own <= alone.own, `${beside.own} > ${alone.own}`)
      assert.ok(beside.most <= alone.most, `${beside.most} > ${alone.most}`)
    }),
    600
  )
})
