import { isDeepStrictEqual } from 'node:util'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { fieldAt, fieldOf } from '../../src/core/json.ts'
import { applyStrictly } from '../../src/core/patch/apply.ts'
import type { PatchOperation } from '../../src/core/patch/operation.ts'
import { jsonOf } from './answer-laws.ts'
import { applyByHand } from './apply-by-hand.ts'

/** All that a patch may touch: GPU resources of containers, the node selector, our own annotations and label. */
const ALLOWED: readonly RegExp[] = [
  /^\/spec\/(initContainers|containers)\/(0|[1-9]\d*)\/resources\/(requests|limits)\/nvidia\.com~1(gpu|gpu\.shared|mig-[a-z0-9.]+)$/,
  /^\/spec\/nodeSelector(\/(nvidia\.com~1[A-Za-z0-9._-]+|[A-Za-z0-9._~-]+))?$/,
  /^\/metadata\/annotations(\/rightslice\.dev~1(decision|explain|original-resources|snapshot))?$/,
  /^\/metadata\/labels(\/rightslice\.dev~1slice)?$/
]

/** What became of a patch. */
export interface PatchCheck {
  readonly broken: readonly string[]
  /** The pod after the patch; undefined where there is no patch or it does not apply. */
  readonly pod: unknown
}

const FINE: PatchCheck = { broken: [], pod: undefined }

/**
 * Looks at the patch of an answer: its paths, and whether three engines apply it strictly to the object of the request, with one result.
 * @param body text of the review that was sent, as the API server holds it
 */
export function checkPatch(body: string, answer: unknown): PatchCheck {
  const encoded = fieldAt(answer, 'response', 'patch')
  if (typeof encoded !== 'string') return FINE
  const patch = jsonOf(Buffer.from(encoded, 'base64').toString())
  if (!isPatch(patch) || patch.length === 0)
    return { broken: ['the patch is a list of additions and removals'], pod: undefined }
  const stray = patch.filter(({ path }) => !ALLOWED.some((pattern) => pattern.test(path)))
  const broken = stray.map(({ path }) => `the patch touches ${path}`)
  try {
    const pod = applyByHand(objectIn(body), patch)
    const [own, library] = [applyStrictly(objectIn(body), patch), byLibrary(objectIn(body), patch)]
    const isOne = isDeepStrictEqual(pod, own) && isDeepStrictEqual(pod, library)
    return { broken: isOne ? broken : [...broken, 'all engines make the same pod of the patch'], pod }
  } catch (error) {
    return { broken: [...broken, `the patch applies: ${String(error).slice(0, 300)}`], pod: undefined }
  }
}

function objectIn(body: string): unknown {
  return fieldAt(jsonOf(body), 'request', 'object')
}

function byLibrary(document: unknown, patch: readonly Operation[]): unknown {
  return jsonPatch.applyPatch(document, [...patch], true, true).newDocument
}

function isPatch(value: unknown): value is readonly PatchOperation[] {
  return (
    Array.isArray(value) &&
    value.every((operation: unknown) => {
      const op = fieldOf(operation, 'op')
      const hasPath = typeof fieldOf(operation, 'path') === 'string'
      return hasPath && (op === 'remove' || (op === 'add' && fieldOf(operation, 'value') !== undefined))
    })
  )
}
