import { fieldAt, fieldOf, isRecord } from '../../src/core/json.ts'

/** Largest body that is read, bytes. */
const LIMIT_BYTES = 7 * 1024 * 1024

/** What a body deserves, read without the code that is tested. */
export type Expectation =
  /** Too large, no JSON, or JSON that is no review: a status from 400 on, with a code and a sentence. */
  | { readonly kind: 'refusal'; readonly statuses: readonly number[] }
  /** A review whose request cannot be read: with its uid from the rewriting webhook, not judged by the others. */
  | { readonly kind: 'fault'; readonly uid: string }
  | { readonly kind: 'answer'; readonly uid: string; readonly request: unknown }

/** What has to come back for a body. */
export function expectationOf(bytes: Buffer): Expectation {
  if (bytes.length > LIMIT_BYTES) return { kind: 'refusal', statuses: [413] }
  const body = parsed(bytes)
  if (body === undefined) return { kind: 'refusal', statuses: [400] }
  const uid = fieldAt(body, 'request', 'uid')
  const isReview =
    fieldOf(body, 'apiVersion') === 'admission.k8s.io/v1' && fieldOf(body, 'kind') === 'AdmissionReview'
  if (!isReview || typeof uid !== 'string' || uid === '' || uid.length > 253)
    return { kind: 'refusal', statuses: [400] }
  const request = fieldOf(body, 'request')
  return isRequest(request) ? { kind: 'answer', uid, request } : { kind: 'fault', uid }
}

/** The JSON of a body, what is no UTF-8 replaced and a mark of byte order dropped; undefined where it is none. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function isRequest(request: unknown): boolean {
  const resource = fieldOf(request, 'resource')
  return (
    typeof fieldOf(request, 'operation') === 'string' &&
    ['subResource', 'namespace'].every((key) => isTextOrAbsent(fieldOf(request, key))) &&
    (resource === undefined ||
      (isRecord(resource) &&
        typeof fieldOf(resource, 'resource') === 'string' &&
        isTextOrAbsent(fieldOf(resource, 'group')))) &&
    [undefined, null, true, false].some((value) => value === fieldOf(request, 'dryRun'))
  )
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
