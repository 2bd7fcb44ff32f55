/** One operation of a JSON Patch; the only kinds that are ever sent. @source RFC 6902 */
export type PatchOperation =
  | { readonly op: 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }

/** JSON pointer of a path: `pointer('metadata', 'a/b')` is `/metadata/a~1b`. @source RFC 6901 */
export function pointer(...segments: readonly (string | number)[]): string {
  let path = ''
  for (const segment of segments) path += `/${escapeSegment(String(segment))}`
  return path
}

/** Segments of a JSON pointer; the inverse of `pointer`. */
export function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/').slice(1)
  return path.includes('~')
    ? segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    : segments
}

function escapeSegment(segment: string): string {
  if (!segment.includes('/') && !segment.includes('~')) return segment
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}
