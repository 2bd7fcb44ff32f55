import { z } from 'zod'
import type { PatchOperation } from '../core/patch/operation.ts'

/** Group and version of the reviews that are answered. @source https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/ */
const REVIEW_VERSION = 'admission.k8s.io/v1'
const REVIEW_KIND = 'AdmissionReview'

/** Longest uid that is echoed, characters; the API server's have 36. */
const MAX_UID = 253

/** What makes a review one that can be answered: version, kind and a uid to echo. */
const ReviewEnvelope = z.object({
  apiVersion: z.literal(REVIEW_VERSION),
  kind: z.literal(REVIEW_KIND),
  request: z.looseObject({ uid: z.string().min(1).max(MAX_UID) })
})

/**
 * The part of a review's request that is read. Objects are passed on as they came, neither copied nor looked into.
 * @source k8s.io/api/admission/v1 AdmissionRequest
 */
export const ReviewRequest = z.object({
  uid: z.string(),
  /** Group and plural of what is written; pods when the sender does not say. */
  resource: z.object({ group: z.string().default(''), resource: z.string() }).optional(),
  subResource: z.string().default(''),
  /** Empty for objects outside namespaces. */
  namespace: z.string().default(''),
  operation: z.string(),
  object: z.unknown().optional(),
  oldObject: z.unknown().optional(),
  dryRun: z.boolean().nullish()
})

/** The part of a review's request that is read. */
export type ReviewRequest = z.infer<typeof ReviewRequest>

/** A review that can be answered, or the sentence that says why not. */
export type Envelope =
  | { readonly kind: 'readable'; readonly uid: string; readonly request: unknown }
  | { readonly kind: 'unreadable'; readonly message: string }

/** Reads the envelope of a review from any JSON; never throws. */
export function readEnvelope(body: unknown): Envelope {
  const read = ReviewEnvelope.safeParse(body)
  if (read.success) return { kind: 'readable', uid: read.data.request.uid, request: read.data.request }
  const [issue] = read.error.issues
  const field = issue?.path.join('.') || 'body'
  return {
    kind: 'unreadable',
    message: `not an ${REVIEW_KIND} of ${REVIEW_VERSION}: ${field}: ${issue?.message ?? 'cannot be read'}`
  }
}

interface Allowed {
  readonly uid: string
  readonly allowed: true
  readonly warnings?: readonly string[]
  readonly auditAnnotations?: Readonly<Record<string, string>>
}

/** A patch and its type come together or not at all; the API server refuses anything else. */
type PatchPair =
  | { readonly patch: string; readonly patchType: 'JSONPatch' }
  | { readonly patch?: never; readonly patchType?: never }

/** The answer of a mutating webhook. */
export interface MutationReview {
  readonly apiVersion: typeof REVIEW_VERSION
  readonly kind: typeof REVIEW_KIND
  readonly response: Allowed & PatchPair
}

/** What a mutating webhook answers. */
export interface MutationAnswer {
  readonly uid: string
  readonly patch: readonly PatchOperation[]
  /** Lines for whoever creates the object, already short and clean. */
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

/** The review that lets an object in, with the patch if there is one. */
export function allowReview({ uid, patch, warnings, auditAnnotations }: MutationAnswer): MutationReview {
  const told = warnings.length === 0 ? {} : { warnings }
  return {
    apiVersion: REVIEW_VERSION,
    kind: REVIEW_KIND,
    response: { uid, allowed: true, ...told, auditAnnotations, ...patchPair(patch) }
  }
}

/** The answer of a validating webhook. */
export interface JudgementReview {
  readonly apiVersion: typeof REVIEW_VERSION
  readonly kind: typeof REVIEW_KIND
  readonly response: {
    readonly uid: string
    readonly allowed: boolean
    readonly status?: { readonly code: 403; readonly reason: 'Forbidden'; readonly message: string }
    readonly warnings?: readonly string[]
    readonly auditAnnotations: Readonly<Record<string, string>>
  }
}

/** What a validating webhook answers; `refusal` is the message for whoever is refused, undefined lets the object in. */
export interface Judgement {
  readonly uid: string
  readonly refusal: string | undefined
  /** Lines for whoever creates the object, already short and clean. */
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
}

/** The review that lets an object in or refuses it; it never changes one. */
export function judgeReview({ uid, refusal, warnings, auditAnnotations }: Judgement): JudgementReview {
  const told = warnings.length === 0 ? {} : { warnings }
  const status =
    refusal === undefined ? {} : { status: { code: 403, reason: 'Forbidden', message: refusal } as const }
  return {
    apiVersion: REVIEW_VERSION,
    kind: REVIEW_KIND,
    response: { uid, allowed: refusal === undefined, ...status, ...told, auditAnnotations }
  }
}

function patchPair(patch: readonly PatchOperation[]): PatchPair {
  if (patch.length === 0) return {}
  return { patch: Buffer.from(JSON.stringify(patch)).toString('base64'), patchType: 'JSONPatch' }
}
