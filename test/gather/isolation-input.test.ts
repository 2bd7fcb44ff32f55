import t from 'tap'
import { gatherIsolationInput } from '../../src/gather/isolation-input.ts'
import { someSettings } from '../build/input.ts'
import { aPod } from '../build/pod.ts'
import { someWebhook } from '../server/some-webhook.ts'

t.test('the record holds the pod, the pod before, and what is in memory', async (t) => {
  const { state } = someWebhook()
  const arrival = {
    operation: 'UPDATE',
    subResource: 'ephemeralcontainers',
    namespace: 'team-a',
    object: aPod(),
    nowMs: 5
  }

  const input = gatherIsolationInput(
    { ...arrival, oldObject: aPod({ labels: { a: 'b' } }) },
    state,
    someSettings
  )

  t.match(input, {
    operation: 'UPDATE',
    subResource: 'ephemeralcontainers',
    pod: { name: 'app-0', namespace: 'team-a' },
    security: { containers: [{ name: 'main' }] },
    before: { labels: { a: 'b' } },
    isTemplate: false,
    namespace: { name: 'team-a', labels: { 'rightslice.dev/rightsize': 'enforce' } },
    settings: someSettings,
    workload: { kind: 'Pod', name: 'app-0' },
    exemptions: [],
    nowMs: 5
  })
  t.equal(input.policies.length, 1)
  for (const oldObject of [undefined, null])
    t.notOk('before' in gatherIsolationInput({ ...arrival, oldObject }, state, someSettings))
  t.ok(gatherIsolationInput({ ...arrival, isTemplate: true }, state, someSettings).isTemplate)
})
