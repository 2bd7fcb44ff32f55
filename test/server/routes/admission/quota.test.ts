import t from 'tap'
import { fieldAt } from '../../../../src/core/json.ts'
import { readResourceQuota } from '../../../../src/core/quota/resource-quota.ts'
import { aRawQuota } from '../../../build/quota.ts'
import { aReview, someWebhook } from '../../some-webhook.ts'

const KEY = 'requests.nvidia.com/mig-1g.10gb'

/** A webhook whose namespace may have two slices; pods come one after the other at times that the test sets. */
function aWebhook() {
  let nowMs = 1_795_780_800_000
  const webhook = someWebhook({ nowMs: () => nowMs })
  const count = (used: string): void => {
    const quota = readResourceQuota(aRawQuota({ counts: { [KEY]: ['2', used] } }))
    if (quota !== undefined) webhook.stores.quotas.set('team-a', 'gpu', quota)
  }
  count('0')
  const review = async (changes = {}): Promise<unknown> => {
    const { json } = await webhook.app.inject({
      method: 'POST',
      url: '/rewrite',
      headers: { 'content-type': 'application/json' },
      payload: aReview(changes)
    })
    const body: unknown = json()
    return fieldAt(body, 'response', 'auditAnnotations', 'reason')
  }
  return { count, review, passTime: (ms: number) => (nowMs += ms) }
}

t.test('[QUOTA5] quota by name: of a burst no more are rewritten than the quota takes', async (t) => {
  const { review, count } = aWebhook()

  const reasons = [await review(), await review(), await review(), await review()]

  t.strictSame(reasons, ['FitsMigProfile', 'FitsMigProfile', 'QuotaWouldBlock', 'QuotaWouldBlock'])
  count('1')
  t.equal(await review(), 'QuotaWouldBlock', 'one is stored, the other is still on its way')
})

t.test('[QUOTA5] quota by name: what never comes gives its place back', async (t) => {
  const { review, passTime } = aWebhook()

  await review()
  await review()
  passTime(5000)

  t.equal(await review(), 'FitsMigProfile')
})

t.test('[QUOTA5] quota by name: a dry run takes no place', async (t) => {
  const { review } = aWebhook()

  for (let count = 0; count < 5; count += 1) t.equal(await review({ dryRun: true }), 'FitsMigProfile')

  t.equal(await review(), 'FitsMigProfile')
})
