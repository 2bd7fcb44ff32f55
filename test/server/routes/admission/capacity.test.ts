import t from 'tap'
import { fieldAt } from '../../../../src/core/json.ts'
import { applyStrictly } from '../../../../src/core/patch/apply.ts'
import type { GpuPod } from '../../../../src/gather/gpu-pod.ts'
import { aGpuPod } from '../../../build/gpu-pod.ts'
import { viewOf } from '../../../build/input.ts'
import { aWholeNode } from '../../../build/node.ts'
import { MemoryStore } from '../../../fakes/memory-store.ts'
import { aDeploymentPod, aReview, someWebhook } from '../../some-webhook.ts'

const slice = 'nvidia.com/mig-1g.10gb'

/** A webhook over one node with seven slices, of which six are taken, beside a node of whole GPUs. */
function almostFull() {
  const pods = new MemoryStore<GpuPod>()
  pods.set(
    'other',
    'six',
    aGpuPod({ namespace: 'other', name: 'six', node: 'node-1', requests: { [slice]: 6 } })
  )
  const webhook = someWebhook({}, pods)
  webhook.stores.nodes.set('', 'whole', viewOf(aWholeNode({ name: 'whole' })))
  const review = async (changes: Readonly<Record<string, unknown>> = {}) => {
    const { json } = await webhook.app.inject({ method: 'POST', url: '/rewrite', payload: aReview(changes) })
    const response: unknown = fieldAt(json(), 'response')
    return { response, reason: fieldAt(response, 'auditAnnotations', 'reason') }
  }
  return { pods, review }
}

t.test('the last free slice is given once, until its pod is gone', async (t) => {
  const { pods, review } = almostFull()

  t.equal((await review()).reason, 'FitsMigProfile')
  t.equal((await review()).reason, 'NoFreeSlice')
  const marks = { 'rightslice.dev/slice': 'mig-1g.10gb', 'rightslice.dev/decision': 'FitsMigProfile' }
  pods.set('team-a', 'app-5d9c7-x', aGpuPod({ name: 'app-5d9c7-x', marks }))
  t.equal((await review()).reason, 'NoFreeSlice', 'the pod is seen, and takes it')
  pods.remove('team-a', 'app-5d9c7-x')
  t.equal((await review()).reason, 'FitsMigProfile')
})

t.test('a dry run takes nothing', async (t) => {
  const { review } = almostFull()

  t.equal((await review({ dryRun: true })).reason, 'FitsMigProfile')
  t.equal((await review()).reason, 'FitsMigProfile')
})

t.test('a pod that comes a second time keeps its slice and takes no other', async (t) => {
  const { pods, review } = almostFull()
  pods.set(
    'other',
    'six',
    aGpuPod({ namespace: 'other', name: 'six', node: 'node-1', requests: { [slice]: 5 } })
  )
  const { response } = await review()
  const patch = JSON.parse(Buffer.from(String(fieldAt(response, 'patch')), 'base64').toString())
  const object = applyStrictly(aDeploymentPod(), patch)

  const again = await review({ object })

  t.equal(again.reason, 'FitsMigProfile')
  t.equal(fieldAt(again.response, 'patch'), undefined)
  t.equal((await review()).reason, 'FitsMigProfile', 'one is left')
  t.equal((await review()).reason, 'NoFreeSlice')
})
