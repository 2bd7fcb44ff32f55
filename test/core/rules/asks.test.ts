import t from 'tap'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { readSecurity } from '../../../src/core/pod/security-view.ts'
import { fractionMarkOf, gpuAsksOf, sharedSelectionOf } from '../../../src/core/rules/asks.ts'
import { aJudgedPod, asking, type JudgedSpec } from '../../build/isolation.ts'

function asksOf(spec: JudgedSpec): readonly string[] {
  const raw = aJudgedPod(spec)
  return gpuAsksOf(readSecurity(raw), readPod(raw, 'team-a')).map(
    ({ container, name, count, shared }) =>
      `${container.name} ${name} ${count ?? '?'}${shared ? ' shared' : ''}`
  )
}

t.test('every container that asks for a GPU, by name, zero left out', async (t) => {
  const main = {
    resources: { limits: { 'nvidia.com/gpu.shared': 1, 'nvidia.com/gpu': '2', cpu: '1', 'rdma/hca': 1 } }
  }
  const initContainers = [
    { name: 'i', ...asking('nvidia.com/mig-1g.10gb', 0) },
    { name: 'j', resources: { requests: { 'nvidia.com/gpumem': '20k' } } },
    { name: 'k', ...asking('nvidia.com/gpu', 'x') }
  ]

  t.strictSame(asksOf({ main, spec: { initContainers } }), [
    'j nvidia.com/gpumem 20000 shared',
    'k nvidia.com/gpu ?',
    'main nvidia.com/gpu 2',
    'main nvidia.com/gpu.shared 1 shared'
  ])
})

t.test('nodes that share make every GPU of ours a shared one', async (t) => {
  const nodeSelector = { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' }

  t.strictSame(asksOf({ main: asking('nvidia.com/gpu'), spec: { nodeSelector } }), [
    'main nvidia.com/gpu 1 shared'
  ])
  t.strictSame(asksOf({ main: asking('amd.com/gpu'), spec: { nodeSelector } }), ['main amd.com/gpu 1'])
})

t.test('the mark of a fraction, and the label that picks shared nodes', async (t) => {
  t.equal(fractionMarkOf(readSecurity({ metadata: { labels: { 'gpu-fraction': '0.5' } } })), 'gpu-fraction')
  t.equal(fractionMarkOf(readSecurity({ metadata: { annotations: { 'gpu-memory': '' } } })), undefined)
  t.equal(sharedSelectionOf(readPod({ spec: { nodeSelector: { zone: 'a' } } }, 'x')), undefined)
})
