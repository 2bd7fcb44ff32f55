import t from 'tap'
import { refusalsTold } from '../../../src/core/rules/read-refusal.ts'
import { refusalMessage } from '../../../src/core/rules/tell.ts'
import { refusedByWebhook } from '../../build/refusal-event.ts'

const privileged = 'container "main" is privileged; drop it'

t.test('[RULE32] what the webhook told of each rule is read back', async (t) => {
  const breaches = [
    { rule: 'PrivilegedWithGpu', seen: 'is privileged', wayOut: 'drop it' },
    { rule: 'PrivilegedWithGpu', seen: 'is privileged too', wayOut: 'drop it' },
    { rule: 'NodeNameSet', seen: 'names its node', wayOut: 'let it be' }
  ] as const
  const text = refusalMessage(
    breaches.map((breach) => ({ ...breach, container: undefined })),
    'standard'
  )

  t.strictSame(refusalsTold(refusedByWebhook(...text.split('\n'))), [
    { rule: 'PrivilegedWithGpu', words: 'the pod is privileged; drop it' },
    { rule: 'NodeNameSet', words: 'the pod names its node; let it be' }
  ])
})

const policy = (name: string): string =>
  `Error creating: pods "app-x2k4p" is forbidden: ValidatingAdmissionPolicy '${name}' with binding 'all' denied request: `

for (const { name, message, want } of [
  {
    name: 'the words of our admission policies',
    message: `${policy('rightslice-isolation')}[PrivilegedWithGpu] ${privileged}`,
    want: [{ rule: 'PrivilegedWithGpu', words: privileged }]
  },
  {
    name: 'several of them in one line',
    message: `${policy('rightslice-isolation')}[PrivilegedWithGpu] main: It sees all. Drop it. [NodeNameSet] the pod: It names [one]. Do not. Help: rightslice explain`,
    want: [
      { rule: 'PrivilegedWithGpu', words: 'main: It sees all. Drop it.' },
      { rule: 'NodeNameSet', words: 'the pod: It names [one]. Do not.' }
    ]
  },
  {
    name: 'and those that Kubernetes combined with similar ones',
    message: `(combined from similar events): ${refusedByWebhook(`[PrivilegedWithGpu] ${privileged}`)}`,
    want: [{ rule: 'PrivilegedWithGpu', words: privileged }]
  },
  { name: 'not those of others', message: `${policy('other')}[PrivilegedWithGpu] ${privileged}`, want: [] },
  { name: 'not without an introduction', message: `[PrivilegedWithGpu] ${privileged}`, want: [] },
  {
    name: 'not what is no rule',
    message: refusedByWebhook('[toString] x', '[NoHistory] x', '[NodeNameSet]x', ' [NodeNameSet] x'),
    want: []
  },
  {
    name: 'clean',
    message: refusedByWebhook('[NodeNameSet] a\u001b[31mb\u202ec\u{1f600}'),
    want: [{ rule: 'NodeNameSet', words: 'a?[31mb?c??' }]
  },
  {
    name: 'and cut',
    message: refusedByWebhook(`[NodeNameSet] ${'x'.repeat(100_000)}`),
    want: [{ rule: 'NodeNameSet', words: `${'x'.repeat(497)}...` }]
  }
]) {
  t.test(`[RULE32] ${name}`, async (t) => {
    t.strictSame(refusalsTold(message), want)
  })
}

t.test('[RULE32] a text made to be slow is not', async (t) => {
  const hostile = "ValidatingAdmissionPolicy 'rightslice-a".repeat(20_000)
  const startedMs = performance.now()

  t.strictSame(refusalsTold(hostile), [])
  t.ok(performance.now() - startedMs < 500)
})
