import t from 'tap'
import { parsePrices, runCandidates } from '../../src/cli/run-candidates.ts'
import { dc1 } from '../../src/demo/dc1.ts'
import { dc1Pods } from '../../src/demo/dc1-pods.ts'
import type { Snapshot } from '../../src/gather/snapshot.ts'

const settings = { systemNamespaces: ['kube-system'], schedulers: ['default-scheduler'] }
const NOW_MS = Date.parse('2026-11-29T11:20:00.500Z')
const placed: Readonly<Record<string, string>> = { 'ml-dev': 'gpu-l40s-01' }

/** The bundled cluster with its pods running on whole GPUs. */
const cluster: Snapshot = {
  ...dc1,
  pods: dc1Pods.map(({ namespace, object }, index) => ({
    ...Object(object),
    metadata: { name: `pod-${index}`, ...Object(object).metadata },
    spec: { ...Object(object).spec, nodeName: placed[namespace] ?? 'gpu-h200-01' },
    status: { phase: 'Running' }
  }))
}

function candidates(
  snapshot: Snapshot,
  output: 'table' | 'json' | 'markdown',
  prices: readonly string[] = ['NVIDIA-H200=4', '*=1']
) {
  let text = ''
  const stdout = { write: (part: string) => (text += part) }
  const sources = { settings, nowMs: NOW_MS, priceUsdPerHour: parsePrices(prices) }
  const freed = runCandidates({ snapshot, sources, source: 'GpuWorkloads', nowMs: NOW_MS, output, stdout })
  return { text, freed }
}

t.test(
  'every workload has a line with its need and what it fits, or the reason why it keeps its GPU',
  async (t) => {
    const { text, freed } = candidates(cluster, 'table')

    t.match(text, /Deployment\/reranker +1 +1 GPU +3686Mi +10% +4\.3Gi +mig-1g\.18gb/)
    t.match(text, /CronJob\/nightly-eval .* mig-1g\.18gb/)
    t.match(text, /Deployment\/chat .* - SelfSizing/)
    t.match(text, /Deployment\/brand-new .* - NoHistory/)
    t.match(text, /Deployment\/ranker-v2 .* - Pinned/)
    t.match(text, /Job\/llm-ft +1 +8 GPU .* - MultiGpuRequest/)
    t.match(text, /DaemonSet\/gpu-burn .* - PinnedToNode/)
    t.match(text, /StatefulSet\/notebook-ben .* shared x2 +1 +730/)
    t.match(text, /7 pods on 7 whole GPUs fit on 2\. 5 GPUs could be freed: 12,410 USD\/month\./)
    t.equal(freed, 5)
  }
)

t.test('JSON holds the same numbers in bytes and ratios', async (t) => {
  const list = JSON.parse(candidates(cluster, 'json').text)

  t.match(list, {
    apiVersion: 'cli.rightslice.dev/v1alpha1',
    kind: 'CandidateList',
    generatedAt: '2026-11-29T11:20:00Z',
    window: { lookback: '14d', source: 'GpuWorkloads' },
    summary: { candidates: 7, gpusNow: 7, gpusAfter: 2, gpusFreed: 5, monthly: '12410.00', currency: 'USD' }
  })
  const reranker = list.items.find(
    (item: { workload: { name: string } }) => item.workload.name === 'reranker'
  )
  t.match(reranker, {
    namespace: 'search',
    container: 'server',
    peakMemoryBytes: 3686 * 2 ** 20,
    neededBytes: 4424 * 2 ** 20,
    peakCompute: 0.1,
    requested: { 'nvidia.com/gpu': '1' },
    gpus: 1,
    decision: { reason: 'FitsMigProfile', resource: 'nvidia.com/mig-1g.18gb', usableBytes: /^\d+$/ },
    considered: [{ resource: 'nvidia.com/mig-1g.18gb', fits: true }],
    isolation: 'memory, compute and faults are separated in hardware'
  })
  t.ok(reranker.coverage > 0.9 && reranker.coverage <= 1)
  const byName = (name: string) =>
    list.items.find((item: { workload: { name: string } }) => item.workload.name === name)
  t.match(byName('notebook-ben'), {
    decision: { reason: 'FitsSharedReplica', replicas: 2 },
    considered: [],
    isolation: /no memory limit and no fault isolation/
  })
  t.match(byName('llm-ft'), {
    requested: { 'nvidia.com/gpu': '8' },
    decision: { reason: 'MultiGpuRequest' },
    isolation: null
  })
})

t.test('Markdown is a table', async (t) => {
  t.match(candidates(cluster, 'markdown').text, /^\| NODE \|.*\n\| --- \|/)
})

t.test('pods that are not placed, or have ended, hold nothing', async (t) => {
  const ended = cluster.pods.map((pod, index) => ({
    ...Object(pod),
    status: { phase: index % 2 === 0 ? 'Succeeded' : 'Failed' }
  }))
  const waiting = dc1Pods.map(({ object }) => object)

  for (const pods of [ended, waiting]) {
    t.match(
      candidates({ ...cluster, pods }, 'table').text,
      /0 pods on 0 whole GPUs fit on 0\. 0 GPUs could be freed\./
    )
  }
})

t.test('without a policy the defaults count, and nothing is shared', async (t) => {
  const { text } = candidates({ ...cluster, policies: [] }, 'table')

  t.match(text, /Deployment\/reranker .* mig-1g\.18gb/)
  t.match(text, /StatefulSet\/notebook-ben .* - ModelCannotPartition/)
})

t.test('prices are by model, with one for all others; a bad one is refused', async (t) => {
  const price = parsePrices(['NVIDIA-H200=4.5', '*=1'])

  t.strictSame([price('NVIDIA-H200'), price('NVIDIA-L4')], [4.5, 1])
  t.equal(parsePrices([])('NVIDIA-L4'), undefined)
  t.throws(() => parsePrices(['NVIDIA-H200']), { code: 'USAGE_WRONG' })
})

t.test('a pod that would step around its share keeps its GPU', async (t) => {
  const pods = cluster.pods.map((pod) => ({ ...Object(pod), spec: { ...Object(pod).spec, hostPID: true } }))

  const { text, freed } = candidates({ ...cluster, pods }, 'table')

  t.match(text, /Deployment\/reranker .* - BreaksIsolation/)
  t.match(text, /StatefulSet\/notebook-ben .* - BreaksIsolation/)
  t.equal(freed, 0)
})
