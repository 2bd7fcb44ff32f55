import t from 'tap'
import { decide } from '../../../src/core/decision/decide.ts'
import { carries, marksOf } from '../../../src/core/decision/marks.ts'
import { readPod } from '../../../src/core/pod/pod-view.ts'
import { anInput, type InputSpec } from '../../build/input.ts'
import { aMigNode } from '../../build/node.ts'
import { aPod } from '../../build/pod.ts'
import { aUsage } from '../../build/usage.ts'

function marksFor(input: InputSpec = {}): ReturnType<typeof marksOf> {
  return marksOf(decide(anInput(input)))
}

t.test('[PAT4] a rewritten pod says reason, sentence, versions and what it asked for', async (t) => {
  t.strictSame(marksFor(), {
    annotations: {
      'rightslice.dev/decision': 'FitsMigProfile',
      'rightslice.dev/explain':
        'main nvidia.com/gpu 1 -> nvidia.com/mig-1g.10gb 1 (peak 5.1Gi + 20% = 6.1Gi, holds 9.5Gi); memory, compute and faults are separated in hardware',
      'rightslice.dev/original-resources': '{"main":{"nvidia.com/gpu":"1"}}',
      'rightslice.dev/snapshot': 'standard@1 Pod/app-0@1'
    },
    labels: { 'rightslice.dev/slice': 'mig-1g.10gb' }
  })
})

t.test('[PAT4] the label says several where containers got different shares', async (t) => {
  const marks = marksFor({
    pod: aPod({ containers: [{ name: 'a' }, { name: 'b' }] }),
    usage: aUsage({ container: 'a' }, { container: 'b', peakMiB: 15_000 }),
    nodes: [
      aMigNode({
        profiles: { '1g.10gb': { count: 1, memoryMiB: 9728 }, '2g.20gb': { count: 1, memoryMiB: 19_968 } }
      })
    ]
  })

  t.strictSame(marks?.labels, { 'rightslice.dev/slice': 'several' })
  t.equal(
    marks?.annotations['rightslice.dev/original-resources'],
    '{"a":{"nvidia.com/gpu":"1"},"b":{"nvidia.com/gpu":"1"}}'
  )
})

t.test('[PAT4] a kept pod says reason, sentence and versions', async (t) => {
  t.strictSame(marksFor({ usage: undefined }), {
    annotations: {
      'rightslice.dev/decision': 'NoHistory',
      'rightslice.dev/explain': 'no use of GPU memory is known for container main',
      'rightslice.dev/snapshot': 'standard@1 no-history'
    },
    labels: {}
  })
})

t.test('[DEC47] pods that are none of our business carry no marks, or are not touched', async (t) => {
  const nothing = { annotations: {}, labels: {} }

  t.strictSame(marksFor({ pod: aPod({ containers: [{ limits: {} }] }) }), nothing)
  t.strictSame(marksFor({ namespaceLabels: { 'rightslice.dev/rightsize': 'warn' } }), nothing)
  t.equal(marksFor({ operation: 'UPDATE' }), undefined)
})

t.test('[PAT6] a long sentence is cut between characters', async (t) => {
  for (const value of ['x'.repeat(2000), '😀'.repeat(1000), `x${'😀'.repeat(1000)}`]) {
    const annotations = { 'rightslice.dev/sharing': value }

    const text = marksFor({ pod: aPod({ annotations }) })?.annotations['rightslice.dev/explain'] ?? ''

    t.ok(text.length === 1000 || text.length === 999, `${text.length}`)
    t.ok(text.endsWith('…') && text.isWellFormed())
  }
})

t.test('a sentence of exactly the longest length stays whole', async (t) => {
  const decision = decide(anInput())

  const marks = marksOf({ ...decision, sentence: 'x'.repeat(1000) })

  t.equal(marks?.annotations['rightslice.dev/explain'], 'x'.repeat(1000))
})

t.test('a pod carries marks when it has exactly these of ours', async (t) => {
  const marks = marksFor({ usage: undefined })
  if (marks === undefined) throw new Error('a kept pod has marks')
  const carried = (annotations: Record<string, string>, labels: Record<string, string> = {}): boolean =>
    carries(readPod(aPod({ annotations, labels }), 'team-a'), marks)

  t.equal(carried({ ...marks.annotations, 'example.com/other': '1' }, { app: 'x' }), true)
  t.equal(carried({ ...marks.annotations, 'rightslice.dev/original-resources': '{}' }), false)
  t.equal(carried({ ...marks.annotations }, { 'rightslice.dev/slice': 'shared' }), false)
  t.equal(carried({}), false)
})
