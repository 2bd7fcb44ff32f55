import { isBranch, isTree, putAt } from './tree.ts'

/** One operation of a JSON Patch as it came over the wire. */
export interface WireOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

/**
 * Applies additions and removals the way an API server does, where a missing parent and a missing field are errors. Changes the
 * document; throws where an operation does not apply. Written without a look at the library that the webhook tries its patches with.
 * @source RFC 6902 4.1 and 4.2, RFC 6901
 */
export function applyByHand(document: unknown, patch: readonly WireOperation[]): unknown {
  for (const { op, path, value } of patch) {
    const [root, ...segments] = path.split('/')
    const key = segments.pop()?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (root !== '' || key === undefined) throw new Error(`${path}: no pointer below the document`)
    const parent = segments.reduce((at, segment) => stepInto(at, segment, path), document)
    if (!isTree(parent)) throw new Error(`${path}: the parent is no object`)
    if (op === 'add') putAt({ parent, key }, value)
    else if (op === 'remove' && Object.hasOwn(parent, key)) Reflect.deleteProperty(parent, key)
    else throw new Error(`${op} ${path}: not possible`)
  }
  return document
}

function stepInto(value: unknown, segment: string, path: string): unknown {
  const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
  if (!isBranch(value) || !Object.hasOwn(value, key)) throw new Error(`${path}: no ${key} on the way`)
  if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(key)) throw new Error(`${path}: ${key} is no index`)
  return Reflect.get(value, key)
}
