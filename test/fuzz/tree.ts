/** A JSON object of the fuzzer's own, that mutations may change in place. */
export type Tree = { [key: string]: unknown }

/** One value in a tree, and where it stands. */
export interface Place {
  readonly parent: Tree | unknown[]
  readonly key: string | number
}

/** Whether the value is an object or list that can be changed. */
export function isBranch(value: unknown): value is Tree | unknown[] {
  return typeof value === 'object' && value !== null
}

/** Whether the value is an object that can be changed. */
export function isTree(value: unknown): value is Tree {
  return isBranch(value) && !Array.isArray(value)
}

/** Every place below the value, itself not included, in the order of the text. */
export function placesBelow(root: unknown): readonly Place[] {
  const places: Place[] = []
  const visit = (value: unknown): void => {
    if (!isBranch(value)) return
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
    for (const key of keys) {
      places.push({ parent: value, key })
      visit(valueAt({ parent: value, key }))
    }
  }
  visit(root)
  return places
}

/** What stands at the place. */
export function valueAt({ parent, key }: Place): unknown {
  return Object.hasOwn(parent, key) ? Reflect.get(parent, key) : undefined
}

/** Puts a value at the place; `__proto__` becomes a field as any other. */
export function putAt({ parent, key }: Place, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Takes out what stands at the place. */
export function dropAt({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else Reflect.deleteProperty(parent, key)
}

/** A copy that shares nothing. */
export function copyOf(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

/** The object at a path, made where it is missing or something else. */
export function treeAt(root: Tree, ...path: readonly string[]): Tree {
  return path.reduce((tree, key) => {
    const found = valueAt({ parent: tree, key })
    if (isTree(found)) return found
    const made: Tree = {}
    putAt({ parent: tree, key }, made)
    return made
  }, root)
}

/** The list at a path, made where it is missing or something else. */
export function listAt(root: Tree, ...path: readonly string[]): unknown[] {
  const parent = treeAt(root, ...path.slice(0, -1))
  const key = path.at(-1) ?? ''
  const found = valueAt({ parent, key })
  if (Array.isArray(found)) return found
  const made: unknown[] = []
  putAt({ parent, key }, made)
  return made
}
