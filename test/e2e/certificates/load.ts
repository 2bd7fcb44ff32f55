import { Agent, request } from 'node:https'
import { fieldAt, listOf } from '../../../src/core/json.ts'
import { bundlesIn } from '../../../src/kube/webhook-trust.ts'
import type { Bed } from '../../bed/start-bed.ts'
import { until } from '../../bed/until.ts'
import { aReview } from '../../server/some-webhook.ts'
import { barePod } from '../objects.ts'

const configurations = '/apis/admissionregistration.k8s.io/v1'

/** What became of calls that were made one after the other. */
export interface Tally {
  sent: number
  /** What went wrong, each time. */
  readonly failures: string[]
}

/** Makes calls one after the other until the signal aborts. */
export async function callOn(signal: AbortSignal, call: () => Promise<string | undefined>): Promise<Tally> {
  const tally: Tally = { sent: 0, failures: [] }
  const startMs = performance.now()
  while (!signal.aborted) {
    const failure = await call().catch((error: unknown) => String(error))
    tally.sent += 1
    const afterMs = Math.round(performance.now() - startMs)
    if (failure !== undefined) tally.failures.push(`after ${afterMs} ms: ${failure}`)
  }
  return tally
}

/** Creates a pod that has to be judged, in a dry run; a webhook that is not believed fails it. Says what went wrong. */
export async function createPod(bed: Bed): Promise<string | undefined> {
  const { status, body } = await bed.request(
    'POST',
    '/api/v1/namespaces/team-a/pods?dryRun=All',
    barePod('probe')
  )
  const decision = fieldAt(body, 'metadata', 'annotations', 'rightslice.dev/decision')
  if (status === 201 && decision !== undefined) return undefined
  return `${status} ${String(decision)} ${String(fieldAt(body, 'message'))}`
}

/** Everything that the API server believes of the webhooks, each bundle once. */
export async function publishedBundles(bed: Bed): Promise<readonly string[]> {
  const answers = await Promise.all(
    ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map((plural) =>
      bed.request('GET', `${configurations}/${plural}`)
    )
  )
  const bundles = answers
    .flatMap(({ body }) => listOf(body, 'items'))
    .flatMap((raw) => bundlesIn(raw).map(({ bundlePem }) => bundlePem))
  return [...new Set(bundles)]
}

/** Waits until every configuration believes somebody. */
export async function untilPublished(bed: Bed): Promise<void> {
  await until(
    'every configuration believes somebody',
    async () => !(await publishedBundles(bed)).includes('')
  )
}

/** What a client shows of itself, PEM. */
type Shown = { readonly cert?: string; readonly key?: string }

/**
 * Calls a replica on a new connection, believing nothing but the bundles that are published. Says what went wrong.
 * @param shown certificate of the client; default none
 */
export async function callDirectly(bed: Bed, port: number, shown: Shown = {}): Promise<string | undefined> {
  for (const ca of await publishedBundles(bed)) {
    const status = await post(port, ca, shown)
    if (status !== 200) return `status ${String(status)}`
  }
  return undefined
}

function post(port: number, ca: string, shown: Shown): Promise<number | undefined> {
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 })
  const target = { host: '127.0.0.1', port, path: '/advice', method: 'POST', agent, ca, ...shown }
  const headers = { 'content-type': 'application/json' }
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const call = request(
    { ...target, headers, servername: 'rightslice.rightslice-system.svc', timeout: 5000 },
    (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    }
  )
  call.on('error', reject).on('timeout', () => call.destroy(new Error('timeout')))
  call.end(JSON.stringify(aReview()))
  return promise
}
