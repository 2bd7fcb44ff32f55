import { fieldAt, fieldOf, isRecord, type JsonRecord, listOf } from '../../src/core/json.ts'
import type { Expectation } from './expectation.ts'
import type { Answer, WebhookPath } from './stage.ts'

/** Longest warning, characters, and the most of them. @source kube-apiserver cuts warnings beyond 256, and 4096 in all */
const MAX_WARNING: Readonly<Record<WebhookPath, number>> = {
  '/rewrite': 120,
  '/isolation': 250,
  '/advice': 250
}
const MAX_WARNINGS: Readonly<Record<WebhookPath, number>> = {
  '/rewrite': 5,
  '/isolation': 200,
  '/advice': 200
}

/** Longest message of a refusal and longest text of an audit annotation, characters. */
const MAX_MESSAGE = 64 * 1024
const MAX_AUDIT = 4 * 1024

/** A part of a qualified name. @source k8s.io/apimachinery util/validation */
const QUALIFIED_PART = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/
const PRINTABLE = /^[\x20-\x7e]+$/
const PRINTABLE_LINES = /^[\x20-\x7e\n]+$/

/** Every law that an answer breaks, in words; none for one that is as it should be. */
export function brokenLaws(path: WebhookPath, expected: Expectation, answer: Answer): readonly string[] {
  const body = jsonOf(answer.text)
  if (body === undefined) return [`the answer is no JSON: ${answer.text.slice(0, 200)}`]
  if (expected.kind === 'refusal') return refusalLaws(expected.statuses, answer.status, body)
  if (expected.kind === 'fault' && path !== '/rewrite') return refusalLaws([500], answer.status, body)
  const response = fieldOf(body, 'response')
  const isFailed = fieldAt(response, 'auditAnnotations', 'reason') === 'DecisionFailed'
  return [
    ...reviewLaws(expected.uid, answer.status, body),
    ...responseLaws(path, response),
    ...untrue({
      'a decision fails only where the request cannot be read': isFailed === (expected.kind === 'fault')
    })
  ]
}

/** The JSON of an answer; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What of a list of claims is not so. */
function untrue(claims: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(claims).flatMap(([claim, holds]) => (holds ? [] : [claim]))
}

function refusalLaws(statuses: readonly number[], status: number, body: unknown): readonly string[] {
  const isTold = typeof fieldOf(body, 'code') === 'string' && typeof fieldOf(body, 'message') === 'string'
  return untrue({
    [`refused with ${statuses.join(' or ')}, not ${status}`]: statuses.includes(status),
    'a refusal has a code and a message': isTold
  })
}

function reviewLaws(uid: string, status: number, body: unknown): readonly string[] {
  return untrue({
    [`a readable review is answered with 200, not ${status}`]: status === 200,
    'the answer is a review of v1':
      fieldOf(body, 'apiVersion') === 'admission.k8s.io/v1' && fieldOf(body, 'kind') === 'AdmissionReview',
    'the uid is echoed': fieldAt(body, 'response', 'uid') === uid
  })
}

function responseLaws(path: WebhookPath, response: unknown): readonly string[] {
  if (!isRecord(response)) return ['the review has a response']
  const { allowed, patch, patchType } = response
  const isPatched = Object.hasOwn(response, 'patch') || Object.hasOwn(response, 'patchType')
  return [
    ...untrue({
      'allowed is true or false': typeof allowed === 'boolean',
      'only isolation refuses': allowed === true || path === '/isolation',
      'patch and patchType together or not at all':
        !isPatched || (typeof patch === 'string' && patch !== '' && patchType === 'JSONPatch'),
      'validating answers carry no patch': !isPatched || path === '/rewrite'
    }),
    ...statusLaws(response),
    ...warningLaws(path, response),
    ...auditLaws(response)
  ]
}

function statusLaws({ allowed, status }: JsonRecord): readonly string[] {
  if (allowed === true) return untrue({ 'who is let in gets no status': status === undefined })
  const message = fieldOf(status, 'message')
  return untrue({
    'a refusal is 403 Forbidden':
      fieldOf(status, 'code') === 403 && fieldOf(status, 'reason') === 'Forbidden',
    'a refusal says why, clean and short':
      typeof message === 'string' && PRINTABLE_LINES.test(message) && message.length <= MAX_MESSAGE
  })
}

function warningLaws(path: WebhookPath, response: JsonRecord): readonly string[] {
  const warnings = listOf(response, 'warnings')
  const isClean = (line: unknown): boolean =>
    typeof line === 'string' && PRINTABLE.test(line) && line.length <= MAX_WARNING[path]
  return untrue({
    'warnings are a list, or absent': response.warnings === undefined || warnings.length > 0,
    'warnings are clean and short': warnings.every(isClean),
    'warnings are told once': new Set(warnings).size === warnings.length,
    [`${warnings.length} warnings are few`]: warnings.length <= MAX_WARNINGS[path]
  })
}

function auditLaws({ auditAnnotations }: JsonRecord): readonly string[] {
  const entries = Object.entries(isRecord(auditAnnotations) ? auditAnnotations : {})
  const isShort = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_AUDIT
  return untrue({
    'there are audit annotations': entries.length > 0,
    'keys of audit annotations are valid': entries.every(([key]) => QUALIFIED_PART.test(key)),
    'audit annotations are short texts': entries.every(([, value]) => isShort(value))
  })
}
