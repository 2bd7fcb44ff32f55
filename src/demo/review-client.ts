import { Agent, request } from 'node:https'
import { json } from 'node:stream/consumers'
import { AppError } from '../core/errors.ts'
import { fieldOf, listOf, stringMapOf, stringOf, stringsOf } from '../core/json.ts'

/** The webhook's answer to one review, as the API server would read it. */
export interface ReviewAnswer {
  readonly allowed: boolean
  readonly patch: readonly unknown[]
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
  /** From sending the request to the end of the answer, milliseconds. */
  readonly durationMs: number
}

/** Sends AdmissionReviews over TLS, as the API server does. */
export interface ReviewClient {
  readonly send: (review: { readonly namespace: string; readonly object: unknown }) => Promise<ReviewAnswer>
  readonly close: () => void
}

/** How long one review may take, as the API server is told. */
const TIMEOUT_MS = 2000

/**
 * A client that trusts nothing but `caPem`.
 * @param nowMs clock for the measured times, milliseconds
 */
export function connectReviews({
  url,
  caPem,
  nowMs
}: {
  url: string
  caPem: string
  nowMs: () => number
}): ReviewClient {
  const agent = new Agent({ ca: caPem, keepAlive: true, ALPNProtocols: ['http/1.1'] })
  let sent = 0
  return {
    close: () => agent.destroy(),
    send: async ({ namespace, object }) => {
      sent += 1
      const uid = `demo-${sent}`
      const startMs = nowMs()
      const body = await post({ url, agent, body: JSON.stringify(reviewOf(uid, namespace, object)) })
      return readAnswer(body, uid, nowMs() - startMs)
    }
  }
}

function post({ url, agent, body }: { url: string; agent: Agent; body: string }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sending = request(`${url}?timeout=2s`, {
      agent,
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(TIMEOUT_MS)
    })
    sending.on('response', (response) => {
      json(response).then(resolve, reject)
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/**
 * An AdmissionReview for the creation of a pod.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export function reviewOf(uid: string, namespace: string, object: unknown): unknown {
  const resource = { group: '', version: 'v1', resource: 'pods' }
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid,
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource,
      namespace,
      operation: 'CREATE',
      dryRun: false,
      object
    }
  }
}

function readAnswer(body: unknown, uid: string, durationMs: number): ReviewAnswer {
  const response = fieldOf(body, 'response')
  if (stringOf(response, 'uid') !== uid) {
    throw new AppError('REVIEW_INVALID', `the webhook's answer does not carry uid ${uid}`)
  }
  const patch = stringOf(response, 'patch')
  const operations: unknown =
    patch === undefined ? [] : JSON.parse(Buffer.from(patch, 'base64').toString('utf8'))
  return {
    allowed: fieldOf(response, 'allowed') === true,
    patch: listOf({ operations }, 'operations'),
    warnings: stringsOf(response, 'warnings'),
    auditAnnotations: stringMapOf(response, 'auditAnnotations'),
    durationMs
  }
}
