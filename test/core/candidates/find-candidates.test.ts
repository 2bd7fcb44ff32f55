import t from 'tap'
import { renderCandidates, renderCandidatesMarkdown } from '../../../src/cli/render-candidates.ts'
import type { KnownNeed, RunningContainer } from '../../../src/core/candidates/candidate.ts'
import { findCandidates, needKey } from '../../../src/core/candidates/find-candidates.ts'
import { summarize } from '../../../src/core/candidates/summary.ts'
import { viewOf } from '../../build/input.ts'
import { aWholeNode } from '../../build/node.ts'

const GIB = 1024

function running(
  namespace: string,
  name: string,
  node: string,
  more: Partial<RunningContainer> = {}
): RunningContainer {
  const workload = { kind: 'Deployment', name }
  return {
    namespace,
    pod: `${name}-${node}`,
    node,
    workload,
    container: 'server',
    gpus: 1,
    keeps: undefined,
    keepsIfShared: undefined,
    ...more
  }
}

function need(peakGib: number, peakCompute = 0.1): KnownNeed {
  const peakMiB = peakGib * GIB
  return {
    peakMiB,
    peakCompute,
    neededMiB: Math.ceil(peakMiB * 1.2),
    neededCompute: peakCompute * 1.2,
    coverageSeconds: 14 * 86_400
  }
}

const a10s = [1, 2, 3, 4].map((number) => `gpu-a10-0${number}`)
const nodes = [
  viewOf(aWholeNode({ name: 'gpu-a100-01', product: 'NVIDIA-A100-SXM4-40GB', gpus: 4 })),
  viewOf(aWholeNode({ name: 'gpu-h100-01', product: 'NVIDIA-H100-80GB-HBM3', gpus: 8 })),
  ...a10s.map((name) =>
    viewOf(aWholeNode({ name, product: 'NVIDIA-A10', gpus: 1, labels: { 'nvidia.com/gpu.memory': '23028' } }))
  )
]
const containers = [
  running('search', 'reranker', 'gpu-a100-01'),
  running('search', 'reranker', 'gpu-a100-01', { pod: 'reranker-2' }),
  running('search', 'embedder', 'gpu-a100-01'),
  running('search', 'ocr', 'gpu-a100-01'),
  running('train', 'llm-ft', 'gpu-h100-01', { gpus: 8, keeps: 'MultiGpuRequest' }),
  ...a10s.map((node, index) => running('ml-dev', `notebook-${index}`, node))
]
const needs = new Map<string, KnownNeed>([
  ['search/Deployment/reranker/server', need(3.6)],
  ['search/Deployment/embedder/server', need(7.9, 0.2)],
  ['search/Deployment/ocr/server', need(15.2, 0.3)],
  ...[4.5, 4.4, 4, 3.8].map(
    (peak, index) => [`ml-dev/Deployment/notebook-${index}/server`, need(peak)] as const
  )
])
const prices: Readonly<Record<string, number>> = { 'NVIDIA-A100-SXM4-40GB': 3, 'NVIDIA-A10': 1.2 }
const input = {
  nodes,
  containers,
  needs,
  replicasAllowed: (namespace: string) => (namespace === 'ml-dev' ? 4 : 0),
  priceUsdPerHour: (model: string) => prices[model]
}

t.test('slices are packed on the cards of their node, replicas on cards of their model', async (t) => {
  const groups = findCandidates(input)

  t.match(
    groups.map(({ nodes, gpusNow, gpusAfter }) => ({ nodes, gpusNow, gpusAfter })),
    [
      { nodes: a10s, gpusNow: 4, gpusAfter: 1 },
      { nodes: ['gpu-a100-01'], gpusNow: 4, gpusAfter: 1 },
      { nodes: ['gpu-h100-01'], gpusNow: 0, gpusAfter: 0 }
    ]
  )
  t.strictSame(
    groups.flatMap(({ rows }) =>
      rows.map(({ workload, pods, fit }) => [
        workload.name,
        pods,
        fit.kind === 'slice' ? fit.profile : fit.kind
      ])
    ),
    [
      ['notebook-0', 1, 'replica'],
      ['notebook-1', 1, 'replica'],
      ['notebook-2', 1, 'replica'],
      ['notebook-3', 1, 'replica'],
      ['embedder', 1, '2g.10gb'],
      ['ocr', 1, '3g.20gb'],
      ['reranker', 2, '1g.5gb'],
      ['llm-ft', 1, 'none']
    ]
  )
})

t.test(
  'the sums are those of the groups: 8 pods on 8 GPUs fit on 2, 6 freed, 9,198 USD a month',
  async (t) => {
    t.strictSame(summarize(findCandidates(input)), {
      pods: 8,
      gpusNow: 8,
      gpusAfter: 2,
      gpusFreed: 6,
      monthlyUsd: 9198
    })
  }
)

t.test('who could reach its neighbours on a shared card does not share, and the others do', async (t) => {
  const containers = input.containers.map((container) =>
    container.workload.name === 'notebook-0'
      ? { ...container, keepsIfShared: 'BreaksIsolation' as const }
      : container
  )

  const rows = findCandidates({ ...input, containers }).flatMap((group) => group.rows)

  t.strictSame(
    rows
      .filter(({ namespace }) => namespace === 'ml-dev')
      .map(({ fit }) => (fit.kind === 'none' ? fit.reason : fit.kind)),
    ['BreaksIsolation', 'replica', 'replica', 'replica']
  )
})

t.test('a price that is not known leaves the sum unknown', async (t) => {
  t.equal(summarize(findCandidates({ ...input, priceUsdPerHour: () => undefined })).monthlyUsd, undefined)
})

t.test('where a namespace may not share, cards that cannot be partitioned stay whole', async (t) => {
  const [a10] = findCandidates({ ...input, replicasAllowed: () => 0 })

  t.match(a10, { gpusNow: 0, gpusAfter: 0 })
  t.strictSame(
    a10?.rows.map(({ fit }) => fit),
    Array.from({ length: 4 }, () => ({ kind: 'none', reason: 'ModelCannotPartition' }))
  )
})

t.test(
  'without a history, with too large a peak or too much compute a container keeps its GPU, each with its reason',
  async (t) => {
    const one = [running('search', 'reranker', 'gpu-a100-01')]
    const reasonFor = (known: KnownNeed | undefined): unknown => {
      const only = new Map(known === undefined ? [] : [['search/Deployment/reranker/server', known]])
      return findCandidates({ ...input, containers: one, needs: only })[0]?.rows[0]?.fit
    }

    t.match(reasonFor(undefined), { kind: 'none', reason: 'NoHistory' })
    t.match(reasonFor(need(30)), { kind: 'none', reason: 'PeakTooLarge' })
    t.match(reasonFor(need(3, 0.8)), { kind: 'none', reason: 'ComputeTooHigh' })
  }
)

t.test('shuffled input gives the same answer', async (t) => {
  const shuffled = { ...input, nodes: [...nodes].reverse(), containers: [...containers].reverse() }

  t.strictSame(summarize(findCandidates(shuffled)), summarize(findCandidates(input)))
})

t.test('the table has a line a workload, freed GPUs and money at the end of a group', async (t) => {
  const text = renderCandidates(findCandidates(input))

  t.match(text, /^NODE +NAMESPACE +WORKLOAD +PODS +NOW +PEAK MEM/)
  t.match(text, /gpu-a10-01\+3 +ml-dev +Deployment\/notebook-0 +1 +1 GPU +4\.5Gi +10% +20Gi\* +shared x4/)
  t.match(text, /search +Deployment\/reranker +2 +2 GPU +3686Mi +10% +4\.3Gi +mig-1g\.5gb +3 +6,570/)
  t.match(text, /- MultiGpuRequest/)
  t.match(text, /8 pods on 8 whole GPUs fit on 2\. 6 GPUs could be freed: 9,198 USD\/month\./)
  t.match(renderCandidatesMarkdown(findCandidates(input)), /^\| NODE \| NAMESPACE/)
})

t.test('a need is found by namespace, workload and container', async (t) => {
  t.equal(needKey(running('a', 'b', 'c')), 'a/Deployment/b/server')
})
