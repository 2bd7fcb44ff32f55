import jsonPatch from 'fast-json-patch'
import { AppError } from '../errors.ts'
import { isRecord } from '../json.ts'
import type { SharingMethod } from '../sharing/method.ts'
import { type PatchOperation, segmentsOf } from './operation.ts'

/** Paths of a pod that a patch may touch whatever the method: GPU resources, node selector, tolerations, our own marks. */
const commonPaths: readonly RegExp[] = [
  /^\/spec\/(containers|initContainers)\/\d+\/resources\/(limits|requests)\/nvidia\.com~1(gpu|gpu\.shared|mig-[^/]+)$/,
  /^\/spec\/nodeSelector(\/[^/]+)?$/,
  /^\/spec\/tolerations(\/-)?$/,
  /^\/metadata\/annotations(\/rightslice\.dev~1(decision|explain|original-resources|snapshot))?$/,
  /^\/metadata\/labels(\/rightslice\.dev~1slice)?$/
]

/** Whether a patch may touch `path`: one of the common paths, or one that a method declares as its own. */
export function isAllowedPath(path: string, methods: readonly Pick<SharingMethod, 'ownPaths'>[]): boolean {
  if (commonPaths.some((pattern) => pattern.test(path))) return true
  return methods.some(({ ownPaths }) => ownPaths.some((own) => patternOf(own).test(path)))
}

/** Patterns of the paths that methods declare, which are few. */
const patterns = new Map<string, RegExp>()

/** The path itself and all below it; `*` is any text without a slash. */
function patternOf(path: string): RegExp {
  const known = patterns.get(path)
  if (known !== undefined) return known
  const quoted = path.split('*').map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`^${quoted.join('[^/]*')}(/.*)?$`)
  patterns.set(path, pattern)
  return pattern
}

/**
 * The pod after the patch. The pod that is passed in stays as it is; only the touched parts are copied.
 * @throws AppError PATCH_INVALID when an operation does not apply or touches a path that is not allowed
 */
export function applyStrictly(
  raw: unknown,
  patch: readonly PatchOperation[],
  methods: readonly Pick<SharingMethod, 'ownPaths'>[] = []
): unknown {
  const stray = patch.find(({ path }) => !isAllowedPath(path, methods))
  if (stray !== undefined)
    throw new AppError('PATCH_INVALID', `patch touches ${stray.path}, which it may not`)
  const document = copyAlong(raw, waysOf(patch))
  try {
    return jsonPatch.applyPatch(document, [...patch], true, true).newDocument
  } catch (cause) {
    throw new AppError('PATCH_INVALID', `patch of ${patch.length} operations does not apply`, { cause })
  }
}

/** The steps that lead to what a patch changes, as a tree of keys. */
interface Ways extends Map<string, Ways> {}

function waysOf(patch: readonly PatchOperation[]): Ways {
  const root: Ways = new Map()
  const parents = new Set(patch.map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))
  for (const parent of parents) {
    let ways = root
    for (const segment of segmentsOf(parent)) {
      const next: Ways = ways.get(segment) ?? new Map()
      ways.set(segment, next)
      ways = next
    }
  }
  return root
}

/** A copy in which every object on the ways is new, so that changing them leaves the original alone. */
function copyAlong(value: unknown, ways: Ways): unknown {
  if (Array.isArray(value)) return value.map((item, index) => copyStep(item, ways.get(String(index))))
  if (!isRecord(value)) return value
  const copy: Record<string, unknown> = { ...value }
  for (const [key, next] of ways) if (Object.hasOwn(copy, key)) copy[key] = copyStep(copy[key], next)
  return copy
}

function copyStep(value: unknown, ways: Ways | undefined): unknown {
  return ways === undefined ? value : copyAlong(value, ways)
}
